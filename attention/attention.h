#pragma once

/// Multi-head attention layers, inputs for them, streams of examples, and files of both.
///
/// A layer maps k tokens of d features, the rows of X, to k rows of d features, by m heads:
///
///     Y = F(X) = sum_i softmax( X Theta_i X^T ) X W_i
///
///        X          Theta_i       X^T            P_i            X          W_i          Y
///     k [   ]   d  [     ]   d [     ]        k [   ]       k [   ]   d  [     ]     k [   ]
///         d           d           k     -->       k             d           d            d
///
/// The softmax acts on each row of the k x k logits. By index, for row r, token j, head i:
///
///     logit_i[r,j] = sum_ab X[r,a] Theta_i[a,b] X[j,b]
///     P_i[r,j]     = exp(logit_i[r,j]) / sum_l exp(logit_i[r,l])        the attention pattern
///     Z_i[r,a]     = sum_j P_i[r,j] X[j,a]                              the attended mean token
///     Y[r,b]       = sum_i sum_a Z_i[r,a] W_i[a,b]
///
/// There are no biases, but the last feature of tokens may be the constant 1; scaling and the split into
/// queries, keys, values and outputs are multiplied out: Theta_i = W_Q W_K^T / sqrt(d_head) is the attention
/// form of a head and W_i = W_V W_O its projection, so every torch.nn.MultiheadAttention is such a layer. k
/// is not part of a layer.
///
///     layer.h           Head, Layer
///     forward.h         F in double, over blocks of examples
///     canonical.h       which layers are one function, and the canonical form of a layer
///     jacobian.h        the Jacobian of F by all entries of Theta and W
///     jacobian_rank.h   its numerical rank on random inputs, and the predicted one
///     assignment.h      the cheapest assignment of rows to columns: which heads of two layers are one
///     exact.h           F in rationals, on Boolean inputs, for layers built from powers of an integer
///     block.h           how a block of examples lies in memory
///     inputs.h          distributions of X: Boolean, Gaussian, sphere, with or without a constant feature;
///                       all with E[x x^T] = I
///     sample_source.h   examples by index: simulated, every Boolean X once; part of another source
///     exact_teacher.h   labels of Boolean X of any length by exact values, rounded once
///     label_noise.h     laws of noise on labels, and a source with such noise
///     reduce_blocks.h   sums over many examples, block by block, in parallel
///     relative_error.h  squared errors over squared labels, and what it is where labels are 0
///     token_products.h  the small products a forward pass and its derivatives are made of
///     signs.h           products with tokens of signs, by tables of partial sums
///     single_block.h    examples of signs in single precision, for screening
///     single_forward.h  labels in single precision, with a bound on their error
///     token_maps.h      matrices applied to all tokens of a block, of signs or not
///     safetensors.h     the container: a reader that trusts nothing, a writer
///     multihead_attention.h  the layer that projections of queries, keys, values and outputs are
///     checkpoint.h      tensors of trained models, in one file or several
///     model_config.h    what config.json says of a model
///     architecture.h    where each kind of model keeps its attention layers: a table
///     model.h           attention layers of trained models as layers of heads
///     embeddings.h      inputs of a model's own kind: tokens of its vocabulary at random positions
///     layer_file.h      layers in files: `theta` [m, d, d], `w` [m, d, d]
///     data_file.h       examples in files: `x` [N, k, d], `y` [N, k, d]
///
/// To label 64 random inputs of 3 tokens with a layer:
///
///     const Layer layer = read_layer("layer.safetensors");
///     const SimulatedSource source(std::make_shared<LayerTeacher>(layer), layer.d, 3, Inputs::gaussian,
///                                  Stream(Domain::samples, 1));
///     Block block(layer.d, 3, 64);
///     source.read(0, block);                            // examples 0 .. 63
///     block.y(b, block.column(r, n));                   // Y[r,b] of example n
///
/// and to keep a million of them:
///
///     write_data("data.safetensors", source, 1'000'000, {}, RunContext());
///     const FileSource file("data.safetensors");        // the same examples, read by memory map

#include "attention/files/architecture.h"
#include "attention/files/checkpoint.h"
#include "attention/files/data_file.h"
#include "attention/files/embeddings.h"
#include "attention/files/layer_file.h"
#include "attention/files/model.h"
#include "attention/files/model_config.h"
#include "attention/files/safetensors.h"
#include "attention/forward/block.h"
#include "attention/forward/forward.h"
#include "attention/forward/jacobian.h"
#include "attention/forward/signs.h"
#include "attention/forward/single_block.h"
#include "attention/forward/single_forward.h"
#include "attention/forward/token_maps.h"
#include "attention/forward/token_products.h"
#include "attention/layer/assignment.h"
#include "attention/layer/canonical.h"
#include "attention/layer/exact.h"
#include "attention/layer/layer.h"
#include "attention/layer/multihead_attention.h"
#include "attention/samples/exact_teacher.h"
#include "attention/samples/inputs.h"
#include "attention/samples/jacobian_rank.h"
#include "attention/samples/label_noise.h"
#include "attention/samples/reduce_blocks.h"
#include "attention/samples/relative_error.h"
#include "attention/samples/sample_source.h"
