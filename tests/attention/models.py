"""Synthetic checkpoints of every architecture that `hardhead import` knows, and what their attention computes.

Each class writes the tensors of two attention layers under the names of its architecture, and computes the attention of
one of them from the architecture's definition, as its reference implementation does: norm, projections, rotary
embedding, softmax head by head, output projection. Nothing here knows what a layer of heads is.
"""
import json
import os

import numpy as np

from safetensors_format import as_dtype, write_safetensors

LAYERS = 2


def softmax(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def standardised(h, epsilon=1e-5):
    """LayerNorm without gain and shift."""
    centred = h - h.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)


def of_mean_square_one(h):
    """RMSNorm without gain."""
    return h / np.sqrt((h**2).mean(axis=-1, keepdims=True) + 1e-6)


def rotated(x, position, base, rotary):
    """Hugging Face's apply_rotary_pos_emb on the first `rotary` features of each head, all tokens at `position`."""
    angle = position * base ** (-np.arange(0, rotary, 2) / rotary)
    cos, sin = np.cos(np.concatenate([angle, angle])), np.sin(np.concatenate([angle, angle]))
    turned, rest = x[..., :rotary], x[..., rotary:]
    half = rotary // 2
    other = np.concatenate([-turned[..., half:], turned[..., :half]], axis=-1)
    return np.concatenate([turned * cos + other * sin, rest], axis=-1)


def rotated_pairs(x, position, base, rotary):
    """The same where features 2i and 2i + 1 are the two parts of a complex number that is turned."""
    angle = position * base ** (-np.arange(0, rotary, 2) / rotary)
    turned = (x[..., 0:rotary:2] + 1j * x[..., 1:rotary:2]) * np.exp(1j * angle)
    return np.concatenate([np.stack([turned.real, turned.imag], axis=-1).reshape(*x.shape[:-1], rotary), x[..., rotary:]], axis=-1)


def attend(q, k, v, scale):
    """q [n, H, l]; k, v [n, G, l]: the H heads' outputs side by side, [n, H l]."""
    heads, groups = q.shape[1], k.shape[1]
    outputs = []
    for h in range(heads):
        g = h // (heads // groups)
        outputs.append(softmax(scale * q[:, h] @ k[:, g].T) @ v[:, g])
    return np.concatenate(outputs, axis=1)


class Model:
    """d features, `heads` query heads and `groups` key-value heads of `size` features each."""

    d, heads, groups, size = 12, 3, 3, 4
    norm = staticmethod(standardised)
    embedding_factor = 1
    layers = LAYERS
    arguments = ()  # of `hardhead import`
    config = {}

    def __init__(self, dtype="F64", seed=1, **changes):
        for name, value in changes.items():
            setattr(self, name, value)
        self.dtype, self.random, self.tensors = dtype, np.random.default_rng(seed), {}
        for n in range(self.layers):
            self.make(n)

    def put(self, name, *shape, around=0.0):
        self.tensors[name] = (self.dtype, as_dtype(around + self.random.normal(size=shape) / np.sqrt(shape[-1]), self.dtype))

    def get(self, name):
        return self.tensors[name][1]

    def linear(self, name, x):
        y = x @ self.get(name + ".weight").T
        return y + self.get(name + ".bias") if name + ".bias" in self.tensors else y

    def put_linear(self, name, outputs, inputs, bias=True):
        self.put(name + ".weight", outputs, inputs)
        if bias:
            self.put(name + ".bias", outputs)

    def put_norm(self, name, gain="weight", shift="bias"):
        self.put(f"{name}.{gain}", self.d, around=1.0)
        if shift:
            self.put(f"{name}.{shift}", self.d)

    def split(self, x):
        return x.reshape(len(x), -1, self.size)

    def behind(self, prefix):
        """The same model as a part of another, or wrapped."""
        self.wrapper = prefix
        return self

    wrapper = ""

    def write(self, folder, shards=1):
        plain, self.tensors = self.tensors, {self.wrapper + name: tensor for name, tensor in self.tensors.items()}
        self.write_files(folder, shards)
        self.tensors = plain

    def write_files(self, folder, shards):
        names = list(self.tensors)
        if shards == 1:
            write_safetensors(os.path.join(folder, "model.safetensors"), self.tensors)
        else:
            index = {}
            for s in range(shards):
                file = f"model-{s + 1:05}-of-{shards:05}.safetensors"
                index.update({name: file for name in names[s::shards]})
                write_safetensors(os.path.join(folder, file), {name: self.tensors[name] for name in names[s::shards]})
            with open(os.path.join(folder, "model.safetensors.index.json"), "w") as out:
                json.dump({"metadata": {"total_size": 0}, "weight_map": index}, out)
        if self.config:
            with open(os.path.join(folder, "config.json"), "w") as out:
                json.dump(self.config, out)


class Gpt2(Model):
    prefix, inverse = "transformer.", False

    def make(self, n):
        at, d = f"{self.prefix}h.{n}.", self.d
        self.config = {"model_type": "gpt2", "n_head": self.heads, "scale_attn_by_inverse_layer_idx": self.inverse}
        self.put_norm(at + "ln_1")
        self.put(at + "attn.c_attn.weight", d, 3 * d)
        self.put(at + "attn.c_attn.bias", 3 * d)
        self.put(at + "attn.c_proj.weight", d, d)
        self.put(at + "attn.c_proj.bias", d)
        self.tensors[at + "attn.bias"] = ("F32", np.tril(np.ones((1, 1, 5, 5))))
        self.tensors[at + "attn.masked_bias"] = ("F32", np.array(-1e4))

    def attention(self, n, x):
        at = f"{self.prefix}h.{n}."
        x = x * self.get(at + "ln_1.weight") + self.get(at + "ln_1.bias")
        qkv = x @ self.get(at + "attn.c_attn.weight") + self.get(at + "attn.c_attn.bias")
        q, k, v = (self.split(part) for part in np.split(qkv, 3, axis=1))
        scale = 1 / np.sqrt(self.size) / ((n + 1) if self.inverse else 1)
        return attend(q, k, v, scale) @ self.get(at + "attn.c_proj.weight") + self.get(at + "attn.c_proj.bias")


class NanoGpt(Gpt2):
    """GPT-2 whose maps are nn.Linear, [outputs, inputs], and whose config.json nobody wrote."""

    arguments = ("--num-heads", "3")

    def make(self, n):
        super().make(n)
        self.config = {}
        for name in ("attn.c_attn.weight", "attn.c_proj.weight"):
            dtype, array = self.tensors[f"{self.prefix}h.{n}.{name}"]
            self.tensors[f"{self.prefix}h.{n}.{name}"] = (dtype, np.ascontiguousarray(array.T))

    def attention(self, n, x):
        at = f"{self.prefix}h.{n}."
        x = x * self.get(at + "ln_1.weight") + self.get(at + "ln_1.bias")
        q, k, v = self.parts(self.linear(at + "attn.c_attn", x))
        return self.linear(at + "attn.c_proj", attend(q, k, v, self.size**-0.5))

    def parts(self, qkv):
        return [self.split(part) for part in np.split(qkv, 3, axis=1)]


class BareNanoGpt(NanoGpt):
    """nanoGPT with bias=False, in its norms as well."""

    def make(self, n):
        super().make(n)
        for name in ("ln_1", "attn.c_attn", "attn.c_proj"):
            del self.tensors[f"{self.prefix}h.{n}.{name}.bias"]

    def attention(self, n, x):
        at = f"{self.prefix}h.{n}."
        q, k, v = self.parts(self.linear(at + "attn.c_attn", x * self.get(at + "ln_1.weight")))
        return self.linear(at + "attn.c_proj", attend(q, k, v, self.size**-0.5))


class BigCode(NanoGpt):
    """GPTBigCode: with multi_query one key and value of all heads, and else head by head query, key, value."""

    multi_query, arguments = True, ()

    def make(self, n):
        super().make(n)
        self.groups = 1 if self.multi_query else self.heads
        self.config = {"model_type": "gpt_bigcode", "n_head": self.heads, "multi_query": self.multi_query}
        self.put_linear(f"{self.prefix}h.{n}.attn.c_attn", (self.heads + 2 * self.groups) * self.size, self.d)

    def parts(self, qkv):
        if self.multi_query:
            return [self.split(part) for part in np.split(qkv, [self.d, self.d + self.size], axis=1)]
        return np.split(qkv.reshape(len(qkv), self.heads, 3 * self.size), 3, axis=2)


class Bert(Model):
    prefix, gain, shift = "bert.", "weight", "bias"

    def make(self, n):
        self.config = {"model_type": "bert", "num_attention_heads": self.heads}
        at = f"{self.prefix}encoder.layer.{n}."
        for part in ("query", "key", "value"):
            self.put_linear(f"{at}attention.self.{part}", self.d, self.d)
        self.put_linear(at + "attention.output.dense", self.d, self.d)
        self.put_norm(at + "attention.output.LayerNorm", self.gain, self.shift)
        self.put_norm(at + "output.LayerNorm", self.gain, self.shift)
        if n == 0:
            self.put_norm(self.prefix + "embeddings.LayerNorm", self.gain, self.shift)

    def attention(self, n, x):
        norm = self.prefix + (f"encoder.layer.{n - 1}.output.LayerNorm" if n > 0 else "embeddings.LayerNorm")
        x = x * self.get(f"{norm}.{self.gain}") + self.get(f"{norm}.{self.shift}")
        at = f"{self.prefix}encoder.layer.{n}.attention."
        q, k, v = (self.split(self.linear(f"{at}self.{part}", x)) for part in ("query", "key", "value"))
        return self.linear(at + "output.dense", attend(q, k, v, self.size**-0.5))


class Roberta(Bert):
    """BERT whose positions start behind that of padding, as its reference implementation counts them."""

    prefix, padding = "roberta.", 1

    def make(self, n):
        super().make(n)
        self.config = {"model_type": "roberta", "num_attention_heads": self.heads, "pad_token_id": self.padding}

    @staticmethod
    def positions(tokens, padding):
        """transformers' create_position_ids_from_input_ids."""
        mask = tokens != padding
        return np.cumsum(mask) * mask + padding


class Separate(Model):
    """Queries, keys and values by three linear maps, after a norm."""

    prefix = ""
    place, parts, output, norm_name = "layers.{}.attention.", ("q_proj", "k_proj", "v_proj"), "o_proj", "layers.{}.norm"
    biases, output_bias, rotary, base, position, offset, folded = True, True, 0, 1e4, 7, 0, True
    shift, gain_offset, turn, rotary_factor, scale = "bias", 0, staticmethod(rotated), 1, None

    def make(self, n):
        at, query = self.prefix + self.place.format(n), self.heads * self.size
        for part, outputs in zip(self.parts, (query, self.groups * self.size, self.groups * self.size)):
            self.put_linear(at + part, outputs, self.d, self.biases)
        self.put_linear(at + self.output, self.d, query, self.output_bias)
        self.put_norm(self.prefix + self.norm_name.format(n), shift=self.shift)

    def norm_of(self, n):
        return self.norm_name.format(n)

    def attention(self, n, x):
        norm = self.prefix + self.norm_of(n)
        if self.folded:
            x = x * (self.gain_offset + self.get(norm + ".weight")) + (self.get(norm + ".bias") if self.shift else 0)
        at = self.prefix + self.place.format(n)
        q, k, v = self.projected(at, x)
        if self.rotary:
            q = self.turned(q, self.position)
            k = self.turned(k, self.position + self.offset)
        return self.linear(at + self.output, attend(q, k, v, self.scale or self.size**-0.5))

    def turned(self, x, position):
        y = self.turn(x, position, self.base, self.rotary)
        y[..., : self.rotary] *= self.rotary_factor
        return y

    def projected(self, at, x):
        return [self.split(self.linear(at + part, x)) for part in self.parts]


class Vit(Separate):
    prefix, place, norm_name = "vit.", "encoder.layer.{}.attention.", "encoder.layer.{}.layernorm_before"
    parts, output = ("attention.query", "attention.key", "attention.value"), "output.dense"
    config = {"model_type": "vit", "num_attention_heads": 3}


class VitLayers(Separate):
    prefix, norm_name = "vit.", "layers.{}.layernorm_before"
    config = {"model_type": "vit", "num_attention_heads": 3}


class DinoV2(Vit):
    """A ViT whose attention's output is multiplied by a vector before it is added to the tokens."""

    prefix, norm_name = "dinov2.", "encoder.layer.{}.norm1"
    config = {"model_type": "dinov2", "num_attention_heads": 3}

    def make(self, n):
        super().make(n)
        self.put(f"{self.prefix}encoder.layer.{n}.layer_scale1.lambda1", self.d, around=0.5)

    def attention(self, n, x):
        return super().attention(n, x) * self.get(f"{self.prefix}encoder.layer.{n}.layer_scale1.lambda1")


class Llama(Separate):
    prefix, place, norm_name = "model.", "layers.{}.self_attn.", "layers.{}.input_layernorm"
    norm = staticmethod(of_mean_square_one)
    biases, output_bias, shift, rotary, base = False, False, None, 4, 5e5

    def make(self, n):
        self.config = {"model_type": self.kind, "num_attention_heads": self.heads, "num_key_value_heads": self.groups,
                       "head_dim": self.size, "rope_theta": self.base}
        super().make(n)
        self.tensors[f"model.layers.{n}.self_attn.rotary_emb.inv_freq"] = ("F32", np.ones(2))

    kind = "llama"


class Variant(Llama):
    """A model with LLaMA's names and another attention, by its reference implementation in transformers."""

    more = {}

    def make(self, n):
        super().make(n)
        self.config = {**self.config, **self.more}


class Gemma(Variant):  # GemmaRMSNorm: output * (1.0 + weight)
    kind, gain_offset, embedding_factor = "gemma", 1, 12**0.5


class Cohere(Variant):  # CohereLayerNorm without bias; rotate_half of neighbours
    kind, norm, turn = "cohere", staticmethod(standardised), staticmethod(rotated_pairs)


class Starcoder2(Variant):
    kind, norm, shift, biases, output_bias = "starcoder2", staticmethod(standardised), "bias", True, True


class StableLm(Variant):  # partial_rotary_factor 0.25 by default
    kind, norm, shift, size, rotary = "stablelm", staticmethod(standardised), "bias", 8, 2


class Nemotron(Variant):  # NemotronLayerNorm1P
    kind, norm, shift, gain_offset, rotary = "nemotron", staticmethod(standardised), "bias", 1, 2


class Glm(Variant):
    kind, rotary, turn, biases = "glm", 2, staticmethod(rotated_pairs), True


class Granite(Variant):
    kind, scale, embedding_factor = "granite", 0.0156, 5
    more = {"attention_multiplier": 0.0156, "embedding_multiplier": 5.0}


class Phi3(Variant):
    kind = "phi3"

    def make(self, n):
        super().make(n)
        at = f"model.layers.{n}.self_attn."
        rows = [self.tensors.pop(f"{at}{part}.weight")[1] for part in self.parts]
        self.tensors[at + "qkv_proj.weight"] = (self.dtype, np.concatenate(rows))

    def projected(self, at, x):
        query, key = self.heads * self.size, self.groups * self.size
        return [self.split(part) for part in np.split(self.linear(at + "qkv_proj", x), [query, query + key], axis=1)]


class Glm4(Glm):
    kind = "glm4"


class Helium(Variant):
    kind, turn = "helium", staticmethod(rotated_pairs)


class Ernie(Variant):
    kind, turn = "ernie4_5", staticmethod(rotated_pairs)


class Phi(Separate):
    """PhiAttention: biases everywhere, a part of each head is rotated."""

    prefix, place, output, norm_name = "model.", "layers.{}.self_attn.", "dense", "layers.{}.input_layernorm"
    d, size, rotary = 24, 8, 4
    config = {"model_type": "phi", "num_attention_heads": 3, "partial_rotary_factor": 0.5}


class GptJ(Separate):
    """GPTJAttention: no biases, rotary_dim features of each head are rotated, every two neighbours."""

    prefix, place, output, norm_name = "transformer.", "h.{}.attn.", "out_proj", "h.{}.ln_1"
    d, size, biases, output_bias, rotary, turn = 18, 6, False, False, 4, staticmethod(rotated_pairs)
    config = {"model_type": "gptj", "n_head": 3, "rotary_dim": 4}

    def make(self, n):
        super().make(n)
        self.tensors[f"{self.prefix}h.{n}.attn.bias"] = ("BOOL", np.ones((1, 1, 5, 5)))
        self.tensors[f"{self.prefix}h.{n}.attn.masked_bias"] = ("F32", np.array(-1e9))


class GptNeo(Separate):
    """GPTNeoSelfAttention: logits are q . k as they are; of its maps only that of the output has a bias."""

    prefix, place, output, norm_name = "transformer.", "h.{}.attn.attention.", "out_proj", "h.{}.ln_1"
    biases, scale = False, 1
    config = {"model_type": "gpt_neo", "num_heads": 3, "attention_types": [[["global", "local"], 1]]}


class Falcon(Separate):
    """FalconAttention._split_heads: one key-value head, one for each query, or groups of queries with theirs behind them."""

    prefix, place, output, norm_name = "transformer.", "h.{}.self_attention.", "dense", "h.{}.input_layernorm"
    heads, groups, biases, output_bias, rotary, d, kind = 6, 1, False, False, 4, 24, "multi_query"

    def make(self, n):
        if self.kind == "grouped":
            self.groups, self.norm_name = 2, "h.{}.ln_attn"
            self.put_norm(f"{self.prefix}h.{n}.ln_mlp")
        elif self.kind == "head by head":
            self.groups = self.heads
        self.config = {"model_type": "falcon", "num_attention_heads": self.heads, "alibi": False, "bias": self.biases, "num_kv_heads": self.groups,
                       "multi_query": self.kind != "head by head", "new_decoder_architecture": self.kind == "grouped"}
        at = self.prefix + self.place.format(n)
        self.put_linear(at + "query_key_value", (self.heads + 2 * self.groups) * self.size, self.d, self.biases)
        self.put_linear(at + self.output, self.d, self.d, self.biases)
        self.put_norm(self.prefix + self.norm_name.format(n))

    def projected(self, at, x):
        qkv, count = self.linear(at + "query_key_value", x), len(x)
        if self.kind == "grouped":
            qkv = qkv.reshape(count, -1, self.heads // self.groups + 2, self.size)
            return qkv[:, :, :-2].reshape(count, self.heads, self.size), qkv[:, :, -2], qkv[:, :, -1]
        if self.kind == "head by head":
            qkv = qkv.reshape(count, self.heads, 3, self.size)
            return qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        qkv = qkv.reshape(count, self.heads + 2, self.size)
        return qkv[:, :-2], qkv[:, [-2]], qkv[:, [-1]]


class Clip(Separate):
    """CLIPEncoderLayer of one of two towers."""

    prefix, place, output, norm_name = "text_model.", "encoder.layers.{}.self_attn.", "out_proj", "encoder.layers.{}.layer_norm1"
    kind = "clip"

    def make(self, n):
        super().make(n)
        self.config = {"model_type": f"{self.kind}_{self.prefix[:-1]}", "num_attention_heads": self.heads}

    def beside(self, other):
        """Both towers in one checkpoint, of which this one is asked for."""
        self.tensors = {**self.tensors, **other.tensors}
        self.config = {"model_type": self.kind, **{tower.prefix.split("_")[0] + "_config": tower.config for tower in (self, other)}}
        self.arguments = ("--prefix", self.prefix[:-1])
        return self


class Stacks(Separate):
    """An encoder and a decoder with the norm in front of attention, of which `stack` is asked for; as MBartEncoderLayer."""

    place, output, norm_name = "layers.{}.self_attn.", "out_proj", "layers.{}.self_attn_layer_norm"
    stack, kind, key_bias, final_norm, embedding_norm = "encoder", "mbart", True, True, True

    def make(self, n):
        self.arguments = ("--prefix", self.stack)
        if self.stack == "decoder":
            self.heads, self.groups, self.size = 2, 2, 6
        self.config = {"model_type": self.kind, "encoder_attention_heads": 3, "decoder_attention_heads": 2, "is_encoder_decoder": True}
        for stack in ("encoder", "decoder"):
            self.prefix = f"model.{stack}."
            super().make(n)
            for norm in ("self_attn_layer_norm", "final_layer_norm"):
                self.put_norm(f"{self.prefix}layers.{n}.{norm}")
            if not self.key_bias:
                del self.tensors[f"{self.prefix}layers.{n}.self_attn.k_proj.bias"]
            if stack == "decoder":
                for part in (*self.parts, self.output):
                    self.put_linear(f"{self.prefix}layers.{n}.encoder_attn.{part}", self.d, self.d)
            if n == 0 and self.final_norm:
                self.put_norm(self.prefix + "layer_norm")
            if n == 0 and self.embedding_norm:
                self.put_norm(self.prefix + "layernorm_embedding")
        self.prefix = f"model.{self.stack}."


class Whisper(Stacks):
    kind, key_bias, embedding_norm = "whisper", False, False


class Bart(Stacks):
    """BartEncoderLayer: norms come after attention and after the network, whose norm's output the next layer gets."""

    kind, final_norm = "bart", False

    def norm_of(self, n):
        return f"layers.{n - 1}.final_layer_norm" if n > 0 else "layernorm_embedding"


class DistilBert(Separate):
    prefix, place, parts, output = "distilbert.", "transformer.layer.{}.attention.", ("q_lin", "k_lin", "v_lin"), "out_lin"
    norm_name = "transformer.layer.{}.output_layer_norm"
    norm = staticmethod(lambda h: standardised(h, 1e-12))
    config = {"model_type": "distilbert", "n_heads": 3, "dim": 12}

    def make(self, n):
        super().make(n)
        self.put_norm(f"{self.prefix}transformer.layer.{n}.sa_layer_norm")
        if n == 0:
            self.put_norm(self.prefix + "embeddings.LayerNorm")

    def norm_of(self, n):
        return self.norm_name.format(n - 1) if n > 0 else "embeddings.LayerNorm"


class Albert(Separate):
    """AlbertAttention on what it is given: its one layer is applied again and again, behind a linear map and then behind itself."""

    prefix, place, parts, output = "albert.", "encoder.albert_layer_groups.{}.albert_layers.0.attention.", ("query", "key", "value"), "dense"
    norm_name, folded = "encoder.albert_layer_groups.{}.albert_layers.0.attention.LayerNorm", False
    config = {"model_type": "albert", "num_attention_heads": 3, "inner_group_num": 1}


class VideoMae(Vit):
    """No biases of the maps but q_bias and v_bias beside them."""

    prefix, biases = "videomae.", False
    config = {"model_type": "videomae", "num_attention_heads": 3}

    def make(self, n):
        super().make(n)
        for part in "qv":
            self.put(f"{self.prefix}encoder.layer.{n}.attention.attention.{part}_bias", self.d)

    def projected(self, at, x):
        q, k, v = (self.linear(at + part, x) for part in self.parts)
        return [self.split(y) for y in (q + self.get(at + "attention.q_bias"), k, v + self.get(at + "attention.v_bias"))]


class Opt(Separate):
    prefix, place, norm_name, output = "model.decoder.", "layers.{}.self_attn.", "layers.{}.self_attn_layer_norm", "out_proj"
    config = {"model_type": "opt", "num_attention_heads": 3, "do_layer_norm_before": True}


class GptNeoX(Model):
    d, heads, size, rotary, base, position, offset = 24, 3, 8, 4, 1e4, 5, 0

    def make(self, n):
        self.config = {"model_type": "gpt_neox", "num_attention_heads": self.heads, "rotary_pct": self.rotary / self.size,
                       "rotary_emb_base": self.base}
        at = f"gpt_neox.layers.{n}."
        self.put_norm(at + "input_layernorm")
        self.put_linear(at + "attention.query_key_value", 3 * self.d, self.d)
        self.put_linear(at + "attention.dense", self.d, self.d)
        self.tensors[at + "attention.bias"] = ("BOOL", np.ones((1, 1, 5, 5)))

    def attention(self, n, x):
        at = f"gpt_neox.layers.{n}."
        x = x * self.get(at + "input_layernorm.weight") + self.get(at + "input_layernorm.bias")
        qkv = self.linear(at + "attention.query_key_value", x).reshape(len(x), self.heads, 3 * self.size)
        q, k, v = (qkv[..., part * self.size : (part + 1) * self.size] for part in range(3))
        q = rotated(q, self.position, self.base, self.rotary)
        k = rotated(k, self.position + self.offset, self.base, self.rotary)
        return self.linear(at + "attention.dense", attend(q, k, v, self.size**-0.5))


class Timm(Model):
    arguments = ("--num-heads", "3")

    def make(self, n):
        self.put_norm(f"blocks.{n}.norm1")
        self.put_linear(f"blocks.{n}.attn.qkv", 3 * self.d, self.d)
        self.put_linear(f"blocks.{n}.attn.proj", self.d, self.d)

    def attention(self, n, x):
        x = x * self.get(f"blocks.{n}.norm1.weight") + self.get(f"blocks.{n}.norm1.bias")
        qkv = self.linear(f"blocks.{n}.attn.qkv", x).reshape(len(x), 3, self.heads, self.size)
        return self.linear(f"blocks.{n}.attn.proj", attend(qkv[:, 0], qkv[:, 1], qkv[:, 2], self.size**-0.5))


class Eva(Timm):
    """timm's EVA: qkv without bias, and q_bias and v_bias beside it."""

    def make(self, n):
        super().make(n)
        del self.tensors[f"blocks.{n}.attn.qkv.bias"]
        for part in "qv":
            self.put(f"blocks.{n}.attn.{part}_bias", self.d)

    def attention(self, n, x):
        at = f"blocks.{n}."
        x = x * self.get(at + "norm1.weight") + self.get(at + "norm1.bias")
        bias = np.concatenate([self.get(at + "attn.q_bias"), np.zeros(self.d), self.get(at + "attn.v_bias")])
        q, k, v = (self.split(part) for part in np.split(self.linear(at + "attn.qkv", x) + bias, 3, axis=1))
        return self.linear(at + "attn.proj", attend(q, k, v, self.size**-0.5))


class TimmScaled(Timm):
    """timm's Block with LayerScale behind attention."""

    scale_name = "ls1.gamma"

    def make(self, n):
        super().make(n)
        self.put(f"blocks.{n}.{self.scale_name}", self.d, around=0.5)

    def attention(self, n, x):
        return super().attention(n, x) * self.get(f"blocks.{n}.{self.scale_name}")


class TransformerLens(Model):
    """W_Q[head, d_model, d_head] and so on, by TransformerLens' einsums. `folded`: it has put the norm into the maps."""

    folded = False

    def make(self, n):
        at = f"blocks.{n}."
        for part in "QKV":
            self.put(f"{at}attn.W_{part}", self.heads, self.d, self.size)
            self.put(f"{at}attn.b_{part}", self.heads, self.size)
        self.put(at + "attn.W_O", self.heads, self.size, self.d)
        self.put(at + "attn.b_O", self.d)
        self.tensors[at + "attn.mask"] = ("BOOL", np.ones((5, 5)))
        self.tensors[at + "attn.IGNORE"] = ("F32", np.array(-np.inf))
        if not self.folded:
            self.put_norm(at + "ln1", "w", "b")

    def attention(self, n, x):
        at = f"blocks.{n}."
        if not self.folded:
            x = x * self.get(at + "ln1.w") + self.get(at + "ln1.b")
        q, k, v = (np.einsum("nd,hdl->nhl", x, self.get(f"{at}attn.W_{part}")) + self.get(f"{at}attn.b_{part}") for part in "QKV")
        scores = np.einsum("qhl,khl->hqk", q, k) / np.sqrt(self.size)
        z = np.einsum("hqk,khl->qhl", softmax(scores), v)
        return np.einsum("qhl,hld->qd", z, self.get(at + "attn.W_O")) + self.get(at + "attn.b_O")


class Torch(Model):
    """The encoder layers of torch.nn.TransformerEncoder."""

    arguments, biases, place = ("--num-heads", "3"), True, "layers.{}.self_attn."

    def make(self, n):
        at = self.place.format(n)
        self.put(at + "in_proj_weight", 3 * self.d, self.d)
        if self.biases:
            self.put(at + "in_proj_bias", 3 * self.d)
        self.put_linear(at + "out_proj", self.d, self.d, self.biases)

    def attention(self, n, x):
        at = self.place.format(n)
        bias = self.get(at + "in_proj_bias") if self.biases else 0
        q, k, v = (self.split(part) for part in np.split(x @ self.get(at + "in_proj_weight").T + bias, 3, axis=1))
        return self.linear(at + "out_proj", attend(q, k, v, self.size**-0.5))


class TorchLayer(Torch):
    """A torch.nn.TransformerEncoderLayer by itself."""

    layers, place = 1, "self_attn."

    def make(self, n):
        super().make(n)
        self.put_linear("linear1", 2 * self.d, self.d)
        self.put_linear("linear2", self.d, 2 * self.d)
        for norm in ("norm1", "norm2"):
            self.put_norm(norm)
