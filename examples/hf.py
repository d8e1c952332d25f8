"""Tiny models of `transformers` with random weights, as they are: nothing is downloaded.

    dynprobe explain examples/hf.py:llama --call input_ids=2x8xi64:randint=100

Each model is built when it is first asked for: `bert`, `gpt2`, `llama` (12 layers), `t5`.
"""

import torch
import transformers

SMALL = {"vocab_size": 100, "hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4}


def build_bert():
    config = transformers.BertConfig(num_hidden_layers=2, **SMALL)
    return transformers.BertModel(config)


def build_gpt2():
    config = transformers.GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=4)
    return transformers.GPT2Model(config)


def build_llama():
    config = transformers.LlamaConfig(num_hidden_layers=12, **SMALL)
    return transformers.LlamaModel(config)


def build_t5():
    sizes = {"vocab_size": 100, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2}
    config = transformers.T5Config(num_heads=4, decoder_start_token_id=0, **sizes)
    return transformers.T5Model(config)


BUILDERS = {"bert": build_bert, "gpt2": build_gpt2, "llama": build_llama, "t5": build_t5}


def __getattr__(name):
    if name not in BUILDERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    torch.manual_seed(0)
    model = BUILDERS[name]().eval()
    globals()[name] = model
    return model
