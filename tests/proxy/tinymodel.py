"""A tiny language model with random weights, made on the spot: a real engine, words of noise.

One layer of the llama architecture over 256 bytes and the special tokens of the ChatML form: about
110 kB. The same bytes each time, so that nothing has to be downloaded or kept.
"""

from pathlib import Path
from typing import Any

import gguf

EMBEDDING, FEED, HEADS, CONTEXT = 32, 64, 2, 8192
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def write_tiny_model(path: Path) -> Path:
    """Write the model file and return its path."""
    words = [*_byte_words(), *SPECIAL]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny random model")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(1)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(words))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(words)
    normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    writer.add_token_types([normal] * 256 + [control] * len(SPECIAL))
    writer.add_token_merges(["! !"])  # an empty list would be left out, and is asked for
    writer.add_bos_token_id(256)
    writer.add_eos_token_id(258)
    writer.add_add_bos_token(False)
    for name, shape in _shapes(len(words)).items():
        writer.add_tensor(name, _weights(name, shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _byte_words() -> list[str]:
    """Return the 256 words of a byte-level vocabulary, in the order of the bytes."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(rest)) for byte in range(256)]


def _shapes(words: int) -> dict[str, tuple[int, ...]]:
    square = (EMBEDDING, EMBEDDING)
    return {
        "token_embd.weight": (words, EMBEDDING),
        "output.weight": (words, EMBEDDING),
        "output_norm.weight": (EMBEDDING,),
        "blk.0.attn_norm.weight": (EMBEDDING,),
        "blk.0.ffn_norm.weight": (EMBEDDING,),
        "blk.0.attn_q.weight": square,
        "blk.0.attn_k.weight": square,
        "blk.0.attn_v.weight": square,
        "blk.0.attn_output.weight": square,
        "blk.0.ffn_gate.weight": (FEED, EMBEDDING),
        "blk.0.ffn_up.weight": (FEED, EMBEDDING),
        "blk.0.ffn_down.weight": (EMBEDDING, FEED),
    }


def _weights(name: str, shape: tuple[int, ...]) -> Any:
    import numpy as np

    if len(shape) == 1:
        return np.ones(shape, dtype=np.float32)
    draw = np.random.default_rng(sum(name.encode()))
    return draw.normal(0.0, 0.5, shape).astype(np.float32)
