"""Finds, in the syntax tree of a file, what could turn data into code or open a door."""

import ast
import re

MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "shelve", "marshal", "jsonpickle"}
CALLS = {
    "eval": "runs text", "exec": "runs text", "compile": "runs text",
    "builtins.eval": "runs text", "builtins.exec": "runs text",
    "os.system": "runs a shell", "os.popen": "runs a shell",
    "subprocess.getoutput": "runs a shell", "subprocess.getstatusoutput": "runs a shell",
    "asyncio.create_subprocess_shell": "runs a shell",
    "yaml.unsafe_load": "yaml beyond safe", "yaml.unsafe_load_all": "yaml beyond safe",
    "yaml.full_load": "yaml beyond safe", "yaml.full_load_all": "yaml beyond safe",
    "joblib.load": "unpickles", "pandas.read_pickle": "unpickles", "pandas.eval": "runs text",
    "torch.hub.load": "runs foreign code", "torch.jit.load": "runs foreign code",
    "hydra.utils.instantiate": "a config names code", "hydra.utils.call": "a config names code",
    "hydra.utils.get_class": "a config names code", "hydra.utils.get_method": "a config names code",
    "hydra.utils.get_object": "a config names code",
    "jinja2.Template": "a template that escapes nothing",
    "tempfile.mktemp": "a name that another may take first",
}  # fmt: skip
PAGES = ("Template", "Environment", "SandboxedEnvironment")
HTTP = re.compile(r"http://(?!127\.0\.0\.1|localhost|www\.w3\.org/)[\w.]")
EVERYWHERE = {"0.0.0.0", "::"}


def findings(source):
    """(line, rule) of everything in the text of a Python file that is not allowed."""
    tree = ast.parse(source)
    names = _imports(tree)
    found = [one for node in ast.walk(tree) for one in _of_node(node, names)]
    return sorted(set(found))


def findings_in_template(source):
    """The same of a Jinja template: text that is not escaped."""
    pattern = re.compile(r"\|\s*safe\b|autoescape\s+false|\|\s*attr\b")
    lines = enumerate(source.splitlines(), 1)
    return [(number, "text that is not escaped") for number, line in lines if pattern.search(line)]


def _imports(tree):
    """Full name by the name that the file uses."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                names[one.asname or one.name.split(".")[0]] = (
                    one.name if one.asname else one.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                names[one.asname or one.name] = f"{node.module}.{one.name}"
    return {name: full.replace("np.", "numpy.") for name, full in names.items()}


def _full(node, names):
    """``numpy.load`` for ``np.load``; empty for what is no plain name."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        head = _full(node.value, names)
        return f"{head}.{node.attr}" if head else f".{node.attr}"
    return ""


def _of_node(node, names):
    if isinstance(node, ast.Import):
        yield from _of_modules(node, [one.name for one in node.names])
    elif isinstance(node, ast.ImportFrom):
        yield from _of_modules(node, [node.module or ""])
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if HTTP.match(node.value):
            yield node.lineno, "an address without encryption"
        if node.value in EVERYWHERE:
            yield node.lineno, "a server for everyone"
    elif isinstance(node, ast.Call):
        name = _full(node.func, names)
        for rule in (_plain_call, _loader, _shell, _weights, _page, _module_by_name):
            yield from ((node.lineno, words) for words in rule(node, name, names))


def _of_modules(node, modules):
    for module in modules:
        if module.split(".")[0] in MODULES:
            yield node.lineno, f"imports {module}"


def _plain_call(node, name, names):
    if name in CALLS:
        yield CALLS[name]
    if name.startswith(("os.exec", "os.spawn")):
        yield "runs a program in another way than subprocess"


def _loader(node, name, names):
    if name in {"yaml.load", "yaml.load_all"}:
        given = [_full(k.value, names) for k in node.keywords if k.arg == "Loader"]
        given += [_full(one, names) for one in node.args[1:2]]
        if given not in (["yaml.SafeLoader"], ["yaml.CSafeLoader"]):
            yield "yaml beyond safe"
    if name in {"torch.load"} and not _is(node, "weights_only", True):
        yield "unpickles"
    if (
        name in {"numpy.load"}
        and _has(node, "allow_pickle")
        and not _is(node, "allow_pickle", False)
    ):
        yield "unpickles"


def _shell(node, name, names):
    if name.startswith("subprocess.") and _has(node, "shell") and not _is(node, "shell", False):
        yield "runs a shell"


def _weights(node, name, names):
    """Models by name: no code of theirs, no pickled weights."""
    if not name.endswith(".from_pretrained"):
        return
    if _has(node, "trust_remote_code") and not _is(node, "trust_remote_code", False):
        yield "runs foreign code"
    if "Model" in ast.unparse(node.func) + name and not _is(node, "use_safetensors", True):
        yield "unpickles"


def _page(node, name, names):
    page = name.startswith("jinja2.") and name.endswith("Environment")
    if page and not _is(node, "autoescape", True):
        yield "a template that escapes nothing"
    made = any(not isinstance(one, ast.Constant) for one in node.args)
    if name in {"markupsafe.Markup", "jinja2.Markup"} and made:
        yield "text that is not escaped"


def _module_by_name(node, name, names):
    if name not in {"importlib.import_module", "__import__", "runpy.run_path", "runpy.run_module"}:
        return
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Constant):
        yield "a module named by a value"
    elif str(first.value).split(".")[0] in MODULES:
        yield f"imports {first.value}"


def _has(node, key):
    return any(one.arg == key for one in node.keywords)


def _is(node, key, value):
    """Whether a keyword is given as that constant."""
    for one in node.keywords:
        if one.arg == key:
            return isinstance(one.value, ast.Constant) and one.value.value is value
    return False
