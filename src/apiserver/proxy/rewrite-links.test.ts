import assert from "node:assert/strict";
import { test } from "node:test";
import { rewriteHtml } from "./rewrite-html.ts";
import { type LinkRewriting, rewriteLink } from "./rewrite-links.ts";

const rewriting: LinkRewriting = {
  scheme: "",
  host: "",
  prefix: "/proxy",
  backendHost: "10.0.0.1:80",
  requestHost: "api:6443",
};

test("rewriteLink() rewrites links to the backend, and no others", () => {
  const cases = [
    ["/a", "/proxy/a"],
    ["/a/", "/proxy/a/"],
    ["/", "/proxy/"],
    ["/proxy/a", "/proxy/a"],
    ["a/b", "a/b"],
    ["?x=1", "?x=1"],
    ["#top", "#top"],
    ["http://10.0.0.1:80/a?b#c", "/proxy/a?b#c"],
    ["http://api:6443/a", "http://api:6443/proxy/a"],
    ["https://example.com/a", "https://example.com/a"],
    ["//example.com/a", "//example.com/a"],
    ["mailto:x@y", "mailto:x@y"],
  ];
  for (const [link = "", expected] of cases) assert.equal(rewriteLink(link, rewriting), expected);
});

test("rewriteLink() adds the API server's host if it is known", () => {
  const named = { ...rewriting, scheme: "https", host: "svc:443" };
  assert.equal(rewriteLink("/a", named), "https://svc:443/proxy/a");
  assert.equal(rewriteLink("http://api:6443/a", named), "https://svc:443/proxy/a");
});

test("rewriteHtml() changes only URLs of link attributes", () => {
  const cases = [
    ['<a href="/x">', '<a href="!/x">'],
    ["<A HREF='/x' title='/y'>", "<A HREF=\"!/x\" title='/y'>"],
    ["<img src=/i longdesc=/d>", '<img src="!/i" longdesc="!/d">'],
    ['<p href="/x">', '<p href="/x">'],
    ["<!-- <a href='/x'> -->", "<!-- <a href='/x'> -->"],
    ["<script src='/x'><a href='/y'></script>", "<script src=\"!/x\"><a href='/y'></script>"],
    ["a < b > c", "a < b > c"],
    ['<a href="/x?a=1&amp;b=2">', '<a href="!/x?a=1&amp;b=2">'],
    ['<a title="a>b" href="/x">', '<a title="a>b" href="!/x">'],
    ["<a href", "<a href"],
  ];
  for (const [html = "", expected] of cases) {
    assert.equal(
      rewriteHtml(html, (link) => `!${link}`),
      expected,
    );
  }
});

test("rewriteHtml() takes time linear in the length of its text", () => {
  const hostile = [
    "<",
    "<!--",
    "<a ",
    '<a x="',
    "<a '",
    "<script ",
    "<a href=",
    "<script>",
    "</a ",
  ];
  for (const part of hostile) {
    const html = part.repeat(300_000);
    assert.equal(
      rewriteHtml(html, (link) => link),
      html,
    );
  }
});
