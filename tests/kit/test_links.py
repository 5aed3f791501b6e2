"""A list leads to its other pages."""

from twindiff.kit import link_header


def test_a_link_names_each_page_there_is():
    name, value = link_header(
        "https://h/a", next={"page": 3, "q": "a&b", "to": ["x", "y"], "no": None}, prev=None, first={}
    )
    assert (name, value) == ("Link", '<https://h/a?page=3&q=a%26b&to=x&to=y>; rel="next", <https://h/a>; rel="first"')
