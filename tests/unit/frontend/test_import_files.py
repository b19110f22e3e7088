"""Files that are no usable model: one ModelError each, which says what to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from deployer.errors import ModelError
from deployer.frontend.onnx_import import import_model
from models import ModelBuilder, conv_net, dense_net


def refusal(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        import_model(path)
    assert caught.value.exit_status == 3
    return str(caught.value)


def write(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"hello, this is no model at all", "not readable as ONNX"),
        (b"\x1c\x00\x00\x00TFL3" + bytes(40), "a TensorFlow Lite model"),
        (b"PK\x03\x04" + bytes(40), "a zip archive"),
        (b"\x89HDF\r\n" + bytes(40), "an HDF5 file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
    ],
)
def test_other_files(data: bytes, message: str, tmp_path: Path) -> None:
    assert message in refusal(write(tmp_path / "model.onnx", data))


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9, 0.999])
def test_a_truncated_model(part: float, tmp_path: Path) -> None:
    data = conv_net().SerializeToString()
    text = refusal(write(tmp_path / "model.onnx", data[: int(len(data) * part)]))
    assert "breaks off or is damaged" in text
    assert "export or copy the model again" in text


def test_a_folder_names_the_models_in_it(tmp_path: Path) -> None:
    onnx.save(conv_net(), tmp_path / "net.onnx")
    text = refusal(tmp_path)
    assert "is a folder, not a model" in text
    assert f"give the file: {tmp_path / 'net.onnx'}" in text


def test_no_file_at_all(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "absent.onnx")


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path / "model.onnx", b"x")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert "Permission denied" in refusal(path)


def changed(tmp_path: Path, change: Callable[[onnx.ModelProto], object]) -> str:
    """The refusal of a small model after ``change``."""
    model = dense_net()
    change(model)
    return refusal(write(tmp_path / "model.onnx", model.SerializeToString()))


def test_versions_out_of_range(tmp_path: Path) -> None:
    def set_opset(version: int) -> Callable[[onnx.ModelProto], object]:
        return lambda model: setattr(model.opset_import[0], "version", version)

    assert "no version of the standard" in changed(tmp_path, lambda m: m.ClearField("opset_import"))
    assert "no version of the standard" in changed(tmp_path, set_opset(-3))


def test_the_first_version_of_the_operator_set_is_converted(tmp_path: Path) -> None:
    model = dense_net()
    wanted = import_model(write(tmp_path / "model.onnx", model.SerializeToString()))
    model.opset_import[0].version = 1
    found = import_model(write(tmp_path / "first.onnx", model.SerializeToString()))
    assert [(n.op, n.attrs) for n in found.nodes] == [(n.op, n.attrs) for n in wanted.nodes]


def test_an_old_model_that_cannot_be_converted(tmp_path: Path) -> None:
    s = ModelBuilder(3, opset=9)
    scales = s.constant(np.float32([1, 1, 2, 2]))
    model = s.model(s.node("Upsample", s.input(1, 3, 4, 4), scales, mode="linear"))
    model.opset_import[0].version = 6
    text = refusal(write(tmp_path / "model.onnx", model.SerializeToString()))
    assert "has opset 6 and cannot be converted to 13" in text


def test_a_graph_that_contradicts_itself(tmp_path: Path) -> None:
    def misname(model: onnx.ModelProto) -> None:
        model.graph.node[0].input[0] = "nowhere"

    def shorten(model: onnx.ModelProto) -> None:
        model.graph.initializer[0].raw_data = b"abc"

    def resize(model: onnx.ModelProto) -> None:
        model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 21

    assert "is not valid ONNX" in changed(tmp_path, misname)
    assert "constant_0" in changed(tmp_path, shorten)
    text = changed(tmp_path, resize)
    inferred = "inputs: input [1, 21], constant_0 [16, 20], constant_1 [16]" in text
    assert "'gemm_0'" in text
    assert inferred or "inputs [1, 21], weights [16, 20]" in text  # inference of old onnx is blind


def test_outputs_that_no_input_reaches(tmp_path: Path) -> None:
    s = ModelBuilder(1)
    s.input(1, 3)
    constant = s.model(s.node("Neg", s.constant(np.ones((1, 3), dtype=np.float32))))
    data = constant.SerializeToString()
    assert "it is a constant" in refusal(write(tmp_path / "model.onnx", data))

    def return_input(model: onnx.ModelProto) -> None:
        model.graph.output[0].CopyFrom(model.graph.input[0])

    def return_nothing(model: onnx.ModelProto) -> None:
        del model.graph.output[:]

    assert "it is an input itself" in changed(tmp_path, return_input)
    assert "no outputs" in changed(tmp_path, return_nothing)


def test_weights_that_are_not_numbers_are_all_named(tmp_path: Path) -> None:
    def spoil(model: onnx.ModelProto) -> None:
        for tensor, value in zip(model.graph.initializer[:3], (np.nan, 1.0, -np.inf), strict=True):
            array = onnx.numpy_helper.to_array(tensor).copy()
            array.flat[0] = value
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))

    text = changed(tmp_path, spoil)
    assert "tensor 'constant_0' holds NaN or infinity" in text
    assert "tensor 'constant_2' holds NaN or infinity" in text
    assert "constant_1" not in text


def test_a_folded_constant_of_absurd_size(tmp_path: Path) -> None:
    s = ModelBuilder(2)
    huge = s.node("ConstantOfShape", s.constant([1, 3, 100_000, 100_000]))
    model = s.model(s.node("Add", s.input(1, 3, 4, 4), huge), checked=False)
    text = refusal(write(tmp_path / "model.onnx", model.SerializeToString()))
    assert "makes too large a constant" in text


# External data


def external(tmp_path: Path, location: str = "net.data") -> Path:
    """A model whose first tensor lies in ``location``, which this writes into the folder."""
    folder = tmp_path / "model"
    folder.mkdir()
    path = folder / "net.onnx"
    onnx.save(dense_net(), path, save_as_external_data=True, location="net.data", size_threshold=0)
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        tensor.external_data[0].value = location
    path.write_bytes(model.SerializeToString())
    return path


def test_a_missing_side_file_is_named(tmp_path: Path) -> None:
    path = external(tmp_path)
    (path.parent / "net.data").unlink()
    text = refusal(path)
    assert "net.onnx keeps its weights in 'net.data', which cannot be read" in text
    assert "put net.data beside net.onnx" in text


def test_a_short_side_file(tmp_path: Path) -> None:
    path = external(tmp_path)
    data = path.parent / "net.data"
    data.write_bytes(data.read_bytes()[:1000])
    assert "net.data is too short: tensor 'constant_0' needs bytes 0 to 1280" in refusal(path)


@pytest.mark.parametrize("location", ["../net.data", "/etc/hostname", "sub/../../net.data", ""])
def test_side_files_outside_the_folder_are_refused(location: str, tmp_path: Path) -> None:
    write(tmp_path / "net.data", bytes(10_000))
    assert "points to weights outside its folder" in refusal(external(tmp_path, location))


def test_a_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    path = external(tmp_path)
    data = path.parent / "net.data"
    data.rename(tmp_path / "elsewhere")
    data.symlink_to(tmp_path / "elsewhere")
    assert "points to weights outside its folder" in refusal(path)


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    path = external(tmp_path)
    data = path.parent / "net.data"
    data.rename(path.parent / "weights.bin")
    data.symlink_to("weights.bin")
    import_model(path)


def test_a_loop_of_links(tmp_path: Path) -> None:
    path = external(tmp_path)
    data = path.parent / "net.data"
    data.unlink()
    data.symlink_to("net.data")
    assert "cannot be read" in refusal(path)


def test_a_folder_that_is_a_link_out_is_refused(tmp_path: Path) -> None:
    path = external(tmp_path, "sub/net.data")
    (tmp_path / "elsewhere").mkdir()
    (path.parent / "net.data").rename(tmp_path / "elsewhere" / "net.data")
    (path.parent / "sub").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert "points to weights outside its folder" in refusal(path)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/stdin", "/proc/self/environ"])
def test_a_link_to_a_device_is_refused(device: str, tmp_path: Path) -> None:
    path = external(tmp_path)
    (path.parent / "net.data").unlink()
    (path.parent / "net.data").symlink_to(device)
    assert "points to weights outside its folder" in refusal(path)


@pytest.mark.timeout(20)
def test_a_pipe_among_the_files_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = external(tmp_path)
    (path.parent / "net.data").unlink()
    os.mkfifo(path.parent / "net.data")
    assert "'net.data', which is no file" in refusal(path)


def test_a_folder_in_place_of_a_side_file_is_refused(tmp_path: Path) -> None:
    path = external(tmp_path)
    (path.parent / "net.data").unlink()
    (path.parent / "net.data").mkdir()
    assert "'net.data', which is no file" in refusal(path)


def test_a_side_file_of_many_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = external(tmp_path)
    with (path.parent / "net.data").open("r+b") as file:
        file.truncate(1 << 42)  # sparse: takes no room
    assert "too large" in refusal(path)


@pytest.mark.parametrize("location", ["net\0.data", "~/net.data", "file:///etc/hostname"])
def test_odd_locations_are_names_of_files_that_are_not_there(location: str, tmp_path: Path) -> None:
    assert "cannot be read" in refusal(external(tmp_path, location))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("offset", "-4", "too short"),
        ("length", "-1", "too short"),
        ("offset", str(1 << 70), "too short"),
        ("offset", "0x10", "damaged reference"),
        ("length", "9" * 5000, "damaged reference"),
    ],
)
def test_a_reference_beyond_the_side_file(
    key: str, value: str, message: str, tmp_path: Path
) -> None:
    path = external(tmp_path)
    model = onnx.load(path, load_external_data=False)
    tensor = model.graph.initializer[0]
    kept = {entry.key: entry.value for entry in tensor.external_data} | {key: value}
    del tensor.external_data[:]
    for name, text in kept.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = name, text
    path.write_bytes(model.SerializeToString())
    assert message in refusal(path)


def hidden(kind: str, location: str) -> onnx.ModelProto:
    """A model that adds a tensor kept at ``location``, in a subgraph or in a local function."""
    secret = onnx.TensorProto(name="secret", data_type=onnx.TensorProto.FLOAT, dims=[1])
    secret.data_location = onnx.TensorProto.EXTERNAL
    entry = secret.external_data.add()
    entry.key, entry.value = "location", location
    constant = helper.make_node("Constant", [], ["c"])
    constant.attribute.append(onnx.AttributeProto(name="value", type=4, t=secret))
    body = [constant, helper.make_node("Add", ["x", "c"], ["y"])]
    opset, ends = helper.make_opsetid("", 17), []
    for name in ("x", "y"):
        ends.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 3, 4, 4]))
    if kind == "function":
        function = helper.make_function("own", "F", ["x"], ["y"], body, [opset])
        graph = helper.make_graph(
            [helper.make_node("F", ["x"], ["y"], domain="own")], "g", *[[end] for end in ends]
        )
        return helper.make_model(
            graph,
            functions=[function],
            opset_imports=[opset, helper.make_opsetid("own", 1)],
            ir_version=8,
        )
    branch = helper.make_graph(body, "branch", [], [ends[1]])
    choice = helper.make_node("If", ["flag"], ["y"], then_branch=branch, else_branch=branch)
    flag = helper.make_tensor("flag", onnx.TensorProto.BOOL, [], [True])
    graph = helper.make_graph([choice], "g", ends[:1], ends[1:], [flag])
    return helper.make_model(graph, opset_imports=[opset], ir_version=8)


@pytest.mark.parametrize("kind", ["function", "subgraph"])
def test_no_tensor_is_read_from_outside_wherever_it_hides(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by us, and not by a library relative to the working folder."""
    (tmp_path / "model").mkdir()
    write(tmp_path / "secret.bin", np.ones(1, np.float32).tobytes())
    write(tmp_path / "model" / "secret.bin", np.ones(1, np.float32).tobytes())
    monkeypatch.chdir(tmp_path / "model")
    path = tmp_path / "model" / "net.onnx"
    path.write_bytes(hidden(kind, "../secret.bin").SerializeToString())
    assert "points to weights outside its folder" in refusal(path)
    path.write_bytes(hidden(kind, "secret.bin").SerializeToString())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.bin").unlink()
    if kind == "function":
        import_model(path)
    else:
        assert "If not supported" in refusal(path)


def test_a_side_file_below_the_model(tmp_path: Path) -> None:
    path = external(tmp_path, "sub/net.data")
    (path.parent / "sub").mkdir()
    (path.parent / "net.data").rename(path.parent / "sub" / "net.data")
    import_model(path)


def test_sparse_weights_are_refused(tmp_path: Path) -> None:
    def sparsify(model: onnx.ModelProto) -> None:
        tensor = model.graph.initializer[0]
        values = helper.make_tensor(tensor.name, onnx.TensorProto.FLOAT, [1], [1.0])
        index = helper.make_tensor("index", onnx.TensorProto.INT64, [1], [3])
        sparse = helper.make_sparse_tensor(values, index, list(tensor.dims))
        model.graph.sparse_initializer.append(sparse)
        del model.graph.initializer[0]

    assert "sparse tensors: 'constant_0'" in changed(tmp_path, sparsify)


def test_a_symbol_that_is_not_text_is_damage(tmp_path: Path) -> None:
    """protobuf hands over bytes where a string is not UTF-8."""
    s = ModelBuilder(1)
    model = s.model(s.relu(s.input("NN", 3, 4, 4)))
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString().replace(b"NN", b"N\x9b"))
    with pytest.raises(ModelError, match="not readable as ONNX"):
        import_model(path)


def test_a_device_is_refused_and_not_read() -> None:
    assert "/dev/zero is a device" in refusal(Path("/dev/zero"))


def test_a_file_of_many_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = write(tmp_path / "model.onnx", conv_net().SerializeToString())
    with path.open("r+b") as file:
        file.truncate(1 << 42)  # sparse: takes no room
    assert "is too large for ONNX" in refusal(path)


def test_tensors_that_share_bytes_are_counted_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = external(tmp_path)
    size = (path.parent / "net.data").stat().st_size
    monkeypatch.setattr("deployer.frontend.external.MAX_FILE_BYTES", size)
    import_model(path)
    model = onnx.load(path, load_external_data=False)
    entries = {entry.key: entry for entry in model.graph.initializer[1].external_data}
    entries["offset"].value, entries["length"].value = "0", str(size)
    path.write_bytes(model.SerializeToString())
    assert "too large" in refusal(path)
