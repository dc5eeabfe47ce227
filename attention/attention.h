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
///     layer/    layers, and which of them are one function; exact values on Boolean inputs; the layer that
///               projections of queries, keys, values and outputs are
///     forward/  blocks of examples; F over them in double, and in single precision for screening; products
///               with tokens, those of signs by tables of partial sums
///     samples/  distributions of X, all with E[x x^T] = I; examples by index, their labels and noise on
///               these; sums over many examples, in parallel; the Jacobian of F and its rank
///     files/    the safetensors container, layers, data sets, and models that others have trained
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
#include "attention/forward/signs.h"
#include "attention/forward/single_block.h"
#include "attention/forward/single_forward.h"
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
