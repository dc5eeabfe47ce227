"""What `hardhead import` does with what is around the projections of a checkpoint: other tensors, config.json, other files.

    surroundings_test.py PROGRAM

Exits 77 (skipped) where NumPy is missing.
"""
import json
import os
import subprocess
import tempfile
import time

from checkpoint_test import PROGRAM, imported, refused

import models
import numpy as np
from safetensors_format import write_safetensors


def check_surroundings():
    """What is beside the projections and is not known is refused by its name, and so is what config.json says."""
    bert, llama = "bert.encoder.layer.0.attention.", "model.layers.0.self_attn."
    beside = [
        (models.Bert, bert + "self.distance_embedding.weight"), (models.Bert, bert + "self.rotary_embeddings.inv_freq"),
        (models.Bert, bert + "LayerNorm.weight"), (models.Bert, bert + "self.query.lora_A.default.weight"),
        (models.Vit, "vit.encoder.layer.0.attention.attention.relative_position_bias.relative_position_bias_table"),
        (models.Vit, "vit.encoder.relative_position_bias.relative_position_bias_table"),
        (models.Timm, "blocks.0.attn.q_norm.weight"), (models.Timm, "blocks.0.attn.norm.weight"), (models.Timm, "blocks.0.attn.proj_l.weight"),
        (models.Timm, "blocks.0.attn.temperature"), (models.Timm, "blocks.0.attn.rel_pos_h"), (models.Timm, "rel_pos_bias.relative_position_bias_table"),
        (models.Timm, "shared_rel_pos.mlp.fc1.weight"), (models.Timm, "blocks.0.attn.logit_scale"), (models.Timm, "blocks.0.attn.q_bias"),
        (models.Llama, llama + "q_layernorm.weight"), (models.Llama, llama + "query_layernorm.weight"), (models.Llama, llama + "sinks"),
        (models.Llama, llama + "q_proj.lora_B"), (models.Llama, llama + "k_proj.weight_scale"), (models.Llama, llama + "attn_sub_norm.weight"),
        (models.Llama, "model.layers.0.input_layernorm.bias"), (models.Llama, "model.layers.0.pre_feedforward_layernorm.weight"),
        (models.Gpt2, "transformer.h.0.attn.gate"), (models.Gpt2, "transformer.h.0.mlp.w1.weight"), (models.Gpt2, "transformer.relative_pe.slopes"),
        (models.Gpt2, "transformer.h.0.ln_1.lora_A"), (models.Llama, "model.layers.0.input_layernorm.linear.weight"), (models.Opt, "model.decoder.layers.0.encoder_attn.k_proj.weight"),
        (models.Opt, "model.decoder.layernorm_embedding.weight"), (models.GptNeoX, "gpt_neox.layers.0.attention.q_norm.weight"),
        (models.Opt, "model.decoder.layers.0.self_attn.relative_position.weight"), (models.Torch, "layers.0.self_attn.relative.weight")]
    for kind, name in beside:
        with tempfile.TemporaryDirectory() as folder:
            model = kind()
            model.put(name, model.d)
            model.write(folder)
            refused(folder, [name], "--layer", "0", *model.arguments)
            if "layers.0" in name and kind is models.Llama:  # what is in one layer does not speak of another
                imported(folder, 1, model.arguments)
    with tempfile.TemporaryDirectory() as folder:
        model = models.Gpt2()
        model.put("transformer.h.0.attn.bias", 36)  # a vector where a mask is expected
        model.write(folder)
        refused(folder, ["transformer.h.0.attn.bias"], "--layer", "0")
    with tempfile.TemporaryDirectory() as folder:
        model = models.NanoGpt()
        del model.tensors["transformer.h.0.ln_1.bias"]  # as in ImageGPT and Qwen
        model.write(folder)
        refused(folder, ["transformer.h.0.ln_1.weight", "no shift"], "--layer", "0", *model.arguments)
    with tempfile.TemporaryDirectory() as folder:
        model = models.Bert()
        for part in ("word", "position", "token_type", "x_position"):
            model.put(f"bert.embeddings.{part}_embeddings.weight", 30, model.d)
        model.write(folder)
        told = subprocess.run([PROGRAM, "sample", folder, "--layer", "0", "--tokens", "3", "-n", "5", "-o", os.path.join(folder, "data.safetensors")],
                              capture_output=True, text=True)
        assert told.returncode == 2 and "x_position_embeddings.weight" in told.stderr, told
    said = [
        (models.Bert, {"position_embedding_type": "relative_key"}, ["position_embedding_type", "relative_key"]),
        (models.Llama, {"rope_scaling": {"rope_type": "ntk-aware", "factor": 2.0}}, ["rope_scaling", "ntk-aware"]),
        (models.Llama, {"rope_scaling": {"factor": 2.0}}, ["rope_type"]),
        (models.Llama, {"rope_parameters": {"full_attention": {"rope_theta": 1e6}}}, ["full_attention"]),
        (models.Llama, {"rope_theta": float("inf")}, ["rope_theta", "config.json"]),
        (models.Llama, {"use_qk_norm": True}, ["use_qk_norm"]), (models.Llama, {"alibi": True}, ["alibi"]),
        (models.Llama, {"clip_qkv": 8.0}, ["clip_qkv"]), (models.Llama, {"attn_logit_softcapping": 50.0}, ["attn_logit_softcapping"]),
        (models.Gpt2, {"model_type": "qwen"}, ["qwen", "RMSNorm"]),
        (models.Llama, {"model_type": "nobody_knows"}, ["nobody_knows", "o_proj.weight"]),
        (models.Llama, {"model_type": "gpt2"}, ["gpt2", "o_proj.weight"]),
        (models.Timm, {"architecture": "vit_relpos_small_patch16_rpn_224"}, ["rpn", "after attention"]),
        (models.Timm, {"architecture": "nobody_knows"}, ["nobody_knows"]),
        (models.Timm, {"architecture": "eva_giant_patch14_224", "model_args": {"use_post_norm": True}}, ["model_args", "use_post_norm"]),
        (models.Llama, {"rope_scaling": {"type": "default", "mrope_section": [1, 1]}}, ["mrope_section"])]
    differ = ("gemma2", "gemma3_text", "qwen3", "olmo2", "hunyuan_v1_dense", "cohere2", "gpt_oss", "openai-gpt", "esm", "beit", "marian", "bloom", "mpt", "codegen")
    said += [(models.Llama, {"model_type": kind}, [kind, "not read"]) for kind in differ]
    for kind, config, words in said:
        with tempfile.TemporaryDirectory() as folder:
            model = kind()
            model.config = {**model.config, **config}
            model.write(folder)
            told = refused(folder, words, "--layer", "0", *model.arguments)
            if config.get("model_type") in differ:
                assert "--arch" not in told, told
                refused(folder, words, "--layer", "0", "--arch", "llama")
    print(f"{len(beside) + 1} checkpoints refused by a tensor, {len(said)} by config.json")


def bare(config, *names):
    """A checkpoint of tensors of those names."""
    model = models.Torch()
    model.tensors, model.config, model.arguments = {}, config, ()
    for name in names:
        model.put(name, 12, 12)
    return model


def check_other_architectures():
    """A layer of heads cannot say what these compute, or the checkpoint does not say which layers are meant; and why."""
    bloom, mpt = "transformer.h.0.self_attention.", "transformer.blocks.0.attn."
    t5, deberta = "encoder.block.0.layer.0.SelfAttention.", "deberta.encoder.layer.0.attention."
    alibi_names = (bloom + "query_key_value.weight", bloom + "dense.weight")
    extra = lambda model, name, *shape: (model.put(name, *(shape or (model.d,))), model)[1]
    config = lambda model, **changes: (setattr(model, "config", {**model.config, **changes}), model)[1]
    without = lambda model: (setattr(model, "config", {}), setattr(model, "arguments", ("--num-heads", "3")), model)[2]
    cases = [
        ("BLOOM", bare({"model_type": "bloom", "n_head": 3}, *alibi_names), (), ["bloom", "alibi"]),
        ("BLOOM without config.json", bare({}, *alibi_names, "transformer.word_embeddings_layernorm.weight"), ("--num-heads", "3"),
         ["transformer.word_embeddings_layernorm.weight", "another model than Falcon"]),
        ("Falcon with alibi", config(models.Falcon(), alibi=True), (), ["config.json", "alibi"]),
        ("Falcon of other groups", config(models.Falcon(kind="grouped"), new_decoder_architecture=False), (), ["query_key_value.weight", "2 key-value heads", "says 1"]),
        ("Falcon with two norms", extra(models.Falcon(kind="grouped"), "transformer.h.0.input_layernorm.weight"), (), ["input_layernorm.' and '", "ln_attn."]),
        ("MPT", bare({"model_type": "mpt", "n_heads": 3}, mpt + "Wqkv.weight", mpt + "out_proj.weight"), (), ["mpt", "alibi"]),
        ("T5", bare({"model_type": "t5", "num_heads": 3, "relative_attention_num_buckets": 32}, *(f"{t5}{part}.weight" for part in "qkvo"),
                    t5 + "relative_attention_bias.weight"), (), ["relative_attention_num_buckets", "not modelled"]),
        ("T5, by its type", bare({"model_type": "t5", "num_heads": 3}, *(f"{t5}{part}.weight" for part in "qkvo")), (), ["t5", "offsets of positions", "table"]),
        ("DeBERTa", bare({"model_type": "deberta-v2", "num_attention_heads": 3, "relative_attention": True}, deberta + "self.query_proj.weight"), (),
         ["relative_attention", "not modelled"]),
        ("DeBERTa, by its type", bare({"model_type": "deberta-v2"}, deberta + "self.query_proj.weight"), (), ["deberta-v2", "offsets of positions"]),
        ("CodeGen", bare({"model_type": "codegen"}, "transformer.h.0.attn.qkv_proj.weight", "transformer.h.0.attn.out_proj.weight"), (), ["codegen", "four parts"]),
        ("Qwen3", models.Llama(kind="qwen3"), (), ["qwen3", "queries and keys have norms"]),
        ("Gemma 3", models.Llama(kind="gemma3_text"), (), ["gemma3_text", "queries and keys have norms"]),
        ("norms of queries in Phi", config(models.Phi(), qk_layernorm=True), (), ["config.json", "qk_layernorm"]),
        ("norms of queries, a tensor", extra(models.Phi(), "model.layers.0.self_attn.q_layernorm.weight"), (), ["self_attn.q_layernorm.weight"]),
        ("ALBERT of two layers a group", extra(models.Albert(), "albert.encoder.albert_layer_groups.0.albert_layers.1.attention.query.weight"), (), ["albert_layers.1."]),
        ("ALBERT with offsets", config(models.Albert(), position_embedding_type="relative_key"), (), ["position_embedding_type", "relative_key"]),
        ("rotary tables of TransformerLens", extra(models.TransformerLens(), "blocks.0.attn.rotary_sin", 5, 4), (), ["blocks.0.attn.rotary_sin"]),
        ("grouped keys of TransformerLens", extra(models.TransformerLens(), "blocks.0.attn._W_K", 1, 12, 4), (), ["blocks.0.attn._W_K"]),
        ("other heads of TransformerLens", models.TransformerLens(), ("--num-heads", "6"), ["blocks.0.attn.W_O", "3 heads", "6"]),
        ("a layer scale of another size", extra(models.DinoV2(), "dinov2.encoder.layer.0.layer_scale1.lambda1", 11), (), ["layer_scale1.lambda1", "11"]),
        ("heads in a list", config(models.Vit(), num_attention_heads=[3, 6]), (), ["--num-heads"]),
    ]
    for kind in (models.Whisper, models.Bart, models.Stacks):
        both = kind()
        both.arguments = ()
        cases.append((f"{kind.kind}: which stack", both, (), ["model.encoder.", "model.decoder.", "say which with --prefix (model.decoder or model.encoder)"]))
        cases.append((f"{kind.kind} without config.json", without(kind()), (), ["say which with --prefix"]))
    towers = models.Clip().beside(models.Clip(prefix="vision_model."))
    towers.arguments = ()
    whisper = models.Whisper()
    whisper.arguments = ()
    cases += [
        ("CLIP: which tower", towers, (), ["clip ('text_model.", "clip ('vision_model.", "say which with --prefix"]),
        ("no such part", whisper, ("--prefix", "middle"), ["under 'middle'"]),
        ("mBART as BART", models.Stacks(), ("--arch", "bart"), ["model.encoder.layer_norm.", "another model than BART"]),
        ("BART as OPT", models.Bart(), ("--arch", "opt"), ["another model than OPT"])]
    for what, model, arguments, words in cases:
        with tempfile.TemporaryDirectory() as folder:
            model.write(folder)
            print(f"{what}: {refused(folder, words, '--layer', '0', *model.arguments, *arguments).strip().replace(folder, '..')[:230]}")


def check_notes():
    """An import says what it did not know."""
    def notes(model, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            model.write(folder)
            return " ".join(json.loads(subprocess.run(
                [PROGRAM, "import", folder, "--layer", "0", *arguments, "-o", os.path.join(folder, "out.safetensors"), "--json"],
                check=True, capture_output=True, text=True).stdout)["notes"])
    qwen = notes(models.Llama(kind="qwen2", biases=True))
    assert "they do change the pattern" in qwen and "change no attention" not in qwen, qwen
    assert "they change no attention pattern" in notes(models.Gpt2())
    assert "No config.json says" not in qwen
    bare = models.NanoGpt()
    assert "No config.json says which model this is" in notes(bare, *bare.arguments)
    llama = models.Llama()
    llama.config = {}
    assert "base of its angles: 10000" in notes(llama, "--num-heads", "3", "--offset", "2")
    assert "gemma" in notes(llama, "--num-heads", "3")
    stacks = models.Torch()
    stacks.tensors = {stack + name: tensor for stack in ("encoder.", "decoder.") for name, tensor in stacks.tensors.items()}
    assert "decoder.layers.{}.self_attn." in notes(stacks, *stacks.arguments)
    other = models.Llama(kind="nobody_knows")
    assert "nobody_knows" in notes(other, "--arch", "llama")


def check_files():
    """Files that are not there, not needed, or no safetensors; tensors of any type; headers with many tensors."""
    index = "model.safetensors.index.json"
    def layer_by_layer(folder):
        model = models.Llama()
        model.write(folder)
        tensors = {name: ("F64", array) for name, (_, array) in model.tensors.items()}
        shards = {f"model-0000{n + 1}-of-00002.safetensors": {name: t for name, t in tensors.items() if f"layers.{n}." in name} for n in range(2)}
        for file, part in shards.items():
            write_safetensors(os.path.join(folder, file), part)
        with open(os.path.join(folder, index), "w") as out:
            json.dump({"weight_map": {name: file for file, part in shards.items() for name in part}}, out)
        return list(shards)
    with tempfile.TemporaryDirectory() as folder:  # none of the model's own files is written
        layer_by_layer(folder)
        os.remove(os.path.join(folder, "model.safetensors"))
        for file in os.listdir(folder):
            path = os.path.join(folder, file)
            with open(path, "rb") as content:
                before = content.read()
            for words in (["import"], ["sample", "--tokens", "3", "-n", "5"]):
                told = subprocess.run([PROGRAM, words[0], folder, *words[1:], "--layer", "0", "-o", path], capture_output=True,
                                      text=True)
                assert told.returncode == 2 and "a file of the checkpoint" in told.stderr, told
            with open(path, "rb") as content:
                assert content.read() == before, path
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n"
    for content in (None, b"", pointer):
        with tempfile.TemporaryDirectory() as folder:
            whole = os.path.join(folder, "model.safetensors")
            second = os.path.join(folder, layer_by_layer(folder)[1])
            expected, _ = imported(folder, 0, ())
            os.remove(second)
            if content is not None:
                with open(second, "wb") as out:
                    out.write(content)
            imported(folder, 1, ())  # the whole file is taken
            os.remove(whole)
            found, _ = imported(folder, 0, ())
            assert np.array_equal(found["theta"], expected["theta"])
            refused(folder, [os.path.basename(second), "model.layers.1."], "--layer", "1")
            told = subprocess.run([PROGRAM, "inspect", folder], check=True, capture_output=True, text=True).stdout
            assert os.path.basename(second) in told, told
    for content, word in [(pointer, "git-lfs"), (b"<!DOCTYPE html><html>", "HTML"), (b"GGUF\3\0\0\0\0\0\0\0", "GGUF"), (b"PK\3\4\0\0\x08\x08\0\0", "torch.save"),
                          (b"\x80\2\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "torch.save")]:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "model.safetensors"), "wb") as out:
                out.write(content)
            refused(folder, [word], "--layer", "0")
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "pytorch_model.bin"), "w").close()
        refused(folder, ["pytorch_model.bin"], "--layer", "0")
    with tempfile.TemporaryDirectory() as folder:
        model = models.Llama()
        model.config["time_step_limit"] = [0.0, float("inf")]
        for n in range(20_000):
            model.tensors[f"model.layers.{n}.mlp.{n}.weight"] = ("F32", np.ones(1))
        model.write(folder)
        start = time.monotonic()
        imported(folder, 1, ())
        took = time.monotonic() - start
        print(f"20,000 tensors: {took:.2f} s")
        assert took < 5, took


if __name__ == "__main__":
    check_surroundings()
    check_other_architectures()
    check_notes()
    check_files()
