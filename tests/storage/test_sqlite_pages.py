"""Pages that SQLite has left out of a file that it made longer."""

from twindiff.storage.sqlite.pages import PAGE_SIZE, Image, PageFile, Pages

PAGE = b"a" * PAGE_SIZE
BLANK = bytes(PAGE_SIZE)


def test_a_page_that_was_never_written_is_blank_as_in_any_file():
    pages = Pages(Image(PAGE))
    file = PageFile(pages)
    file.xWrite(PAGE, 3 * PAGE_SIZE)
    assert file.xRead(PAGE_SIZE, 2 * PAGE_SIZE) == BLANK
    assert pages.data() == PAGE + BLANK + BLANK + PAGE


def test_a_page_that_was_taken_back_and_left_out_then_is_stored_as_blank():
    pages = Pages(Image(PAGE))
    file = PageFile(pages)
    file.xWrite(PAGE, 1 * PAGE_SIZE)
    pages.take_back(file.undo)
    file.xWrite(PAGE, 2 * PAGE_SIZE)
    assert pages.written() == {1: BLANK, 2: PAGE}
