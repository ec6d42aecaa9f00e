"""The estimate grows with what it is made of and never loads a weight."""

from itertools import accumulate

import pytest
import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from repro.llm.experiments.cost import Cost, Size, activations, cost, in_words
from repro.llm.experiments.procedures import PessimisticProcedure
from repro.llm.experiments.study import Study
from repro.llm.training.backbone import tiny_config
from repro.llm.training.direct_preference import optimised
from repro.llm.training.encoding import Tokens
from repro.llm.training.extra import library
from repro.llm.training.log_prob import response_log_prob
from repro.llm.training.objectives import objective
from repro.llm.training.policy_gradient import Rollouts
from repro.llm.training.settings import Shape
from repro.llm.training.trainers import _log_prob


@pytest.fixture(autouse=True)
def extra():
    pytest.importorskip("transformers")


def test_parameters_of_a_tiny_model(model):
    size = Size.of(model)
    width, inner = 16, 4 * 16
    block = 4 * width + 3 * width * (width + 1) + width * (width + 1)
    block += inner * (width + 1) + width * (inner + 1)
    assert size.parameters == (200 + 512) * width + block + 2 * width
    assert (size.width, size.layers, size.vocabulary) == (16, 1, 200)


def test_operations_are_linear_in_policies(model, data, procedure):
    one, three = (cost(model, data, procedure, k, 0).operations for k in (1, 3))
    two = cost(model, data, procedure, 2, 0).operations
    assert three - two == two - one > 0
    assert cost(model, data, procedure, 1, 5).operations > one


def test_adamw_and_full_weights_need_more_memory(model, data, procedure):
    adamw = procedure.model_copy(
        update={"preference": procedure.preference.model_copy(update={"optimizer": "adamw"})}
    )
    plain = cost(model, data, procedure, 1, 0).memory
    assert cost(model, data, adamw, 1, 0).memory > plain
    adapters = model.model_copy(update={"lora_rank": 1})
    assert cost(adapters, data, adamw, 1, 0).memory < cost(model, data, adamw, 1, 0).memory


def test_a_policy_of_rloo_costs_its_rollouts(model, data, procedure):
    """Four passes over a response that is drawn, and three an epoch for one that is learnt from."""
    rollouts = Rollouts(
        iterations=10, responses=16, to_a_prompt=4, epochs=3, minibatch=4, clip=0.2,
        learning_rate=1e-6,
    )  # fmt: skip
    own = PessimisticProcedure.model_construct(**dict(procedure), rollouts=rollouts)
    none, one, two = (cost(model, data, own, 1, 0, k) for k in (0, 1, 2))
    answer = data.max_prompt_tokens + own.sampling.max_new_tokens
    found = one.operations - none.operations
    assert found == two.operations - one.operations
    assert found == Size.of(model).forward(answer) * answer * 160 * 13
    assert one.memory > none.memory
    assert cost(model, data, procedure, 1, 0, 1).operations == none.operations


def test_words_name_memory_and_hours(model):
    """An hour of float32 at its speed, and 1.5 GiB; half precision is six times as fast."""
    estimate = Cost(1.5 * 2**30, 3600 * 2e13)
    first, second = in_words(estimate, model, 2).splitlines()
    assert first == (
        "a tiny random model: 2 policies after one fine-tuning, about 1.5 GiB of memory and "
        "1 GPU-hours"
    )
    assert "2e+13 a second" in second
    named = model.model_copy(update={"path": "lab/name", "precision": "mixed"})
    first, second = in_words(estimate, named, 7).splitlines()
    assert first.startswith("lab/name: 7 policies")
    assert first.endswith("and 0.167 GPU-hours")
    assert "1e+14 a second" in second


def test_operations_count_epochs_pairs_and_answers(model, data, procedure):
    """Of fine-tuning, of a policy with its held-out pairs, and of an answer to each prompt."""
    steps = {name: getattr(procedure, name) for name in ("sft", "preference")}
    epochs = {"sft": 2, "preference": 3}
    own = procedure.model_copy(
        update={
            name: some.model_copy(update={"epochs": epochs[name]}) for name, some in steps.items()
        }
    )
    size, length = Size.of(model), data.max_prompt_tokens + data.max_response_tokens
    each = size.forward(length) * length
    found = [cost(model, data, own, k, n).operations for k, n in ((0, 0), (1, 0), (0, 1))]
    answer = data.max_prompt_tokens + own.sampling.max_new_tokens
    assert found[0] == 3 * 2 * each * 2 * data.n_pairs
    assert found[1] - found[0] == 3 * 3 * each * 2 * data.n_pairs + each * 2 * data.held_out
    assert found[2] - found[0] == size.forward(answer) * answer * own.sampling.prompts


LENGTH, ROWS = 40, 32


@pytest.fixture(params=[(32, 1, 2), (64, 4, 4)], ids=str)
def sized(request, model):
    """A tiny model, what the estimate holds it for, and a batch of 16 pairs."""
    shape = Shape(**dict(zip(("width", "layers", "heads"), request.param, strict=True)))
    torch.manual_seed(0)
    built = library("transformers").GPT2LMHeadModel(tiny_config(shape, 200))
    size = Size.of(model.model_copy(update={"tiny": shape}))
    ids = torch.randint(4, 200, (ROWS, LENGTH))
    present, response = torch.ones(2, ROWS, LENGTH, dtype=torch.long)
    response[:, : LENGTH // 2] = 0
    return built, size, Tokens(ids, present, response)


def test_operations_are_those_counted(sized):
    """By torch's counter, which sees matrix products alone; so attention is written out."""
    built, size, tokens = sized
    built.set_attn_implementation("eager")
    with FlopCounterMode(display=False) as counted:
        response_log_prob(built, tokens).sum().backward()
    expected = 3 * size.forward(LENGTH) * ROWS * LENGTH
    assert expected == pytest.approx(counted.get_total_flops(), rel=0.2)


@pytest.mark.filterwarnings("ignore")
def test_activations_are_those_kept(sized, steps):
    """Bytes of what autograd keeps of a batch in TRL's forward pass, weights left out."""
    built, size, tokens = sized
    library("trl.trainer.utils").add_fused_lm_head(built)
    kept = {}

    def pack(x):
        if not isinstance(x, torch.nn.Parameter):
            kept[x.data_ptr(), x.numel(), x.dtype] = x  # alive, so that no place is used twice
        return x

    batch = {
        "input_ids": tokens.ids, "attention_mask": tokens.present,
        "completion_mask": tokens.response,
    }  # fmt: skip
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        _log_prob(built, batch)
    found = sum(x.numel() * x.element_size() for x in kept.values())
    one = steps.model_copy(update={"batch_size": ROWS // 2})
    assert activations(size, "float32", one, LENGTH) == pytest.approx(found, rel=0.2)
    halves = one.model_copy(update={"accumulation": 2})
    assert activations(size, "float32", halves, LENGTH) == pytest.approx(found / 2, rel=0.2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("shape", "changes"),
    [
        ((32, 1, 2), {"optimizer": "sgd", "batch_size": 32}),
        ((256, 6, 4), {"batch_size": 32}),
        ((384, 4, 4), {"batch_size": 32, "optimizer": "sgd"}),
        ((384, 4, 4), {"batch_size": 32, "accumulation": 4}),
    ],
    ids=str,
)
def test_memory_is_that_of_a_run(shape, changes, model, data, steps, procedure):
    """Peak of what torch allocates from the model to the policy, and the weights that are read."""
    tiny = Shape(**dict(zip(("width", "layers", "heads"), shape, strict=True)))
    model = model.model_copy(update={"tiny": tiny})
    data = data.model_copy(update={"max_prompt_tokens": 12, "max_response_tokens": 8})
    some = steps.model_copy(update=changes)
    procedure = procedure.model_copy(
        update={"preference": some, "sft": some.model_copy(update={"accumulation": 8})}
    )
    study = Study(model=model, data=data, procedure=procedure, variant="repaired", device="cpu")
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        labels = study.splits.train.labels
        optimised(study.reference, labels, objective("rdpo", 1.0, 0.1), some, 0)
    events = seen.profiler.kineto_results.events()
    sizes = sorted((e.start_ns(), e.nbytes()) for e in events if e.name() == "[memory]")
    peak = max(accumulate(size for _, size in sizes)) + 4 * Size.of(model).parameters
    assert cost(model, data, procedure, 1, 0).memory == pytest.approx(peak, rel=0.2)
