#!/usr/bin/env python3
"""site_links.py SITE: each link and picture of the pages of a built site leads to a file of it, each #anchor to a name
that the page has. Links to elsewhere are not followed."""
import functools
import html.parser
import pathlib
import sys
import urllib.parse

site = pathlib.Path(sys.argv[1]).resolve()
failures = count = 0


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("id", "name"):
                self.names.add(value)
            elif key in ("href", "src") and value and tag != "base":
                self.links.append(value)


page_of = functools.cache(Page)
for path in sorted(site.rglob("*.html")):
    if path.name == "404.html":  # its links are for any place
        continue
    for link in page_of(path).links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        count += 1
        other = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        other = other / "index.html" if other.is_dir() else other
        anchor = urllib.parse.unquote(parts.fragment)
        if not other.exists():
            failures += 1
            print(f"failed: {path.relative_to(site)}: there is no {link}")
        elif anchor and other.suffix == ".html" and not anchor.startswith("__") and anchor not in page_of(other).names:
            failures += 1
            print(f"failed: {path.relative_to(site)}: no anchor {link}")
if count < 1000:
    failures += 1
    print(f"failed: {count} links in the site")
sys.exit(failures > 0)
