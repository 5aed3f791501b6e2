"""Pages of a SQLite database that were never written, and those that it says are free."""

from __future__ import annotations

from twindiff.storage.sqlite.pages import Pages


def unwritten(pages: Pages) -> set[int]:
    """The pages that neither an environment nor its template has, though the file reaches beyond them."""
    return {number for number in range(pages.image.count, pages.count) if number not in pages.own}


def free(pages: Pages) -> set[int]:
    """The pages without content: the leaves of the list of free ones (https://sqlite.org/fileformat2.html#the_freelist)."""
    trunk, leaves = _number(pages.page(0), 32), set[int]()
    while trunk:
        page = pages.page(trunk - 1)
        leaves |= {_number(page, 8 + 4 * at) - 1 for at in range(_number(page, 4))}
        trunk = _number(page, 0)
    return leaves


def _number(page: bytes, at: int) -> int:
    return int.from_bytes(page[at : at + 4], "big")
