"""Models of the hub: which of their files are used, where the cache has them, and the one place that downloads any."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path, PurePosixPath

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.encoder.network import first_line, needs
from trail_callbacks.judges.encoder.profiles import Profile

_BESIDE = ("tokenizer.json", "config.json", "trail.json")
WEIGHTS = (".safetensors", ".bin")  # the second where there is none of the first
_TORCH = (".json", ".model", ".txt")
_APART = (".data", "_data")  # how files with the weights of another are called


def chosen(model: str, names: Collection[str], profile: Profile | None, file: str | None) -> tuple[str, ...]:
    """Returns which ONNX files of a model are run, of all that it has: none, one, or an encoder and its decoder.

    Raises:
        JudgeError: If the file that was asked for is not there, or it is not clear which is meant.
    """
    there = sorted(name for name in names if name.endswith(".onnx"))
    usual = profile.file if profile else ""
    wanted = [file] if file else [usual, PurePosixPath(usual).name, "model.onnx", "onnx/model.onnx"]
    found = next((name for name in wanted if name in there), None)
    if found is None and len(there) == 1 and not file:
        found = there[0]
    if found is None:
        if file or there:
            missing = f"has no file {file!r}" if file else "has several ONNX files, say which: file=..."
            raise JudgeError(f"{model} {missing} (there: {', '.join(there) or 'no ONNX file'})")
        return ()
    return (found, found.replace("encoder", "decoder")) if profile and profile.answers else (found,)


def digest(files: Sequence[Path]) -> str:
    """Returns the SHA-256 of files, with their weights in other files, read one after the other.

    Of one file, it is what `sha256sum` says.
    """
    found = hashlib.sha256()
    parts = [part for file in files for part in (file, *(file.with_name(file.name + end) for end in _APART))]
    for part in parts:
        if part in files or part.is_file():
            with part.open("rb") as read:
                while data := read.read(1 << 20):
                    found.update(data)
    return found.hexdigest()


def folder_of(model: str, revision: str | None, profile: Profile | None) -> Path:
    """Returns where a model is, a folder or in the hub's cache; never asks the network.

    Raises:
        JudgeError: If it is in neither, with what a download would bring.
    """
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import constants  # noqa: PLC0415 - comes with tokenizers; folders do not need it

    cache = Path(constants.HF_HUB_CACHE, f"models--{model.replace('/', '--')}")
    named = cache / "refs" / (revision or "main")
    commit = named.read_text().strip() if named.is_file() else revision
    if commit and (folder := cache / "snapshots" / commit).is_dir():
        return folder
    size = f"{profile.size / 1e6:,.0f} MB" if profile and profile.size else "the command says how many MB first"
    licence = f"licence {profile.licence}" if profile and profile.licence else "look at its licence"
    at = f" --revision {revision}" if revision else ""
    raise JudgeError(
        f"the model {model} is not on this machine, and a judge downloads nothing by itself. To get it once: trail "
        f"encoder fetch {model}{at} ({size}; {licence}; from https://huggingface.co/{model}). Or give the folder of a "
        "copy."
    )


def tokenizer_of(folder: Path, profile: Profile | None) -> Path | None:
    """Returns the `tokenizer.json` of a model: its own, or where it has none that of the model it was made from."""
    found: object = folder / "tokenizer.json" if (folder / "tokenizer.json").is_file() else None
    if found is None and profile is not None and profile.tokenizer:
        import huggingface_hub  # noqa: PLC0415 - as above

        found = huggingface_hub.try_to_load_from_cache(profile.tokenizer, "tokenizer.json")
    return Path(found) if isinstance(found, str | Path) else None


def fetch(
    model: str,
    revision: str | None,
    profile: Profile | None,
    file: str | None,
    *,
    weights: bool = False,
    say: Callable[[str], None],
) -> None:
    """Downloads a model into the hub's cache, after it has said what, how much and from where.

    With `weights` it is what torch loads, though there be an ONNX file.

    Raises:
        JudgeError: If the hub cannot be reached or does not have it, or what it has cannot be run.
    """
    needs("encoder", "huggingface_hub")
    revision = revision or (profile.revision if profile else "") or None
    import huggingface_hub  # noqa: PLC0415 - as above

    try:
        info = huggingface_hub.HfApi().model_info(model, revision=revision, files_metadata=True)
        sizes = {each.rfilename: each.size or 0 for each in info.siblings or ()}
        run = () if weights else chosen(model, sizes, profile, file)
        kept = {*_BESIDE, *run, *(f"{name}{end}" for name in run for end in _APART)}
        kinds = (next((end for end in WEIGHTS if any(n.endswith(end) for n in sizes)), WEIGHTS[0]), *_TORCH)
        wanted = [n for n in sizes if (n in kept if run else n.endswith(kinds) and "/" not in n)]
        borrowed = profile.tokenizer if profile and "tokenizer.json" not in sizes else ""
        licence = (profile.licence if profile else "") or (info.card_data or {}).get("license") or "unknown: look at it"
        say(f"{model} at {info.sha}: {sum(sizes[name] for name in wanted) / 1e6:,.0f} MB, licence {licence}")
        for name in wanted:
            say(f"  {huggingface_hub.hf_hub_url(model, name, revision=info.sha)} ({sizes[name]:,} bytes)")
        if borrowed:
            say(f"  {huggingface_hub.hf_hub_url(borrowed, 'tokenizer.json')}")
            huggingface_hub.hf_hub_download(borrowed, "tokenizer.json")
        paths = {name: Path(huggingface_hub.hf_hub_download(model, name, revision=revision)) for name in wanted}
    except JudgeError:
        raise
    except Exception as error:  # whatever the client of the hub raises
        raise JudgeError(f"{model} cannot be had from the hub: {first_line(error)}") from error
    if run:
        say(f'pin it: revision="{info.sha}", sha256="{digest([paths[name] for name in run])}"')
