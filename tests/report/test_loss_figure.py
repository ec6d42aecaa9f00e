"""The map of losses: each cell stands at its n and ε."""

from repro.report.loss_figure import COLOURS, draw_loss_map


def test_every_cell_stands_at_its_labels_and_its_epsilon():
    names = list(COLOURS)[:2]
    cells = [[(names[0], 1.5), (names[0], 2.5)], [(names[1], 3.5), (names[1], 4.5)]]
    figure = draw_loss_map({("row", "column"): cells}, [0.5, 2], [100, 10_000], marked=(1, 0))
    (axis,) = figure.axes
    numbers = {text.get_text().split("\n")[1]: text.get_position() for text in axis.texts}
    assert numbers == {
        "1.5": (0.5, 0.5), "2.5": (1.5, 0.5), "3.5": (0.5, 1.5), "4.5": (1.5, 1.5),
    }  # fmt: skip
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["0.5", "2"]
    assert [tick.get_text() for tick in axis.get_yticklabels()] == ["1e+02", "1e+04"]
    *patches, outline = axis.patches
    assert [patch.get_xy() for patch in patches] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert outline.get_xy() == (1.03, 0.03)
