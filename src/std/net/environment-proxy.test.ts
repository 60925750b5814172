import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentProxy } from "./environment-proxy.ts";

const proxy = "http://proxy.example:3128";
const at = (hostname: string, port = 443) => ({ isSecure: true, hostname, port });

const exceptions: readonly [noProxy: string, hostname: string, isDirect: boolean][] = [
  ["", "10.0.0.1", false],
  ["", "localhost", true],
  ["", "127.0.0.2", true],
  ["", "::1", true],
  ["*", "example.com", true],
  ["10.0.0.0/8", "10.1.2.3", true],
  ["10.0.0.0/8", "11.1.2.3", false],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["fd00::/8", "fd00::1", true],
  ["10.0.0.0/8", "example.com", false],
  ["other, 10.0.0.1 ,", "10.0.0.1", true],
  ["10.0.0.1:443", "10.0.0.1", true],
  ["10.0.0.1:6443", "10.0.0.1", false],
  ["[fd00::1]:443", "fd00::1", true],
  ["example.com", "example.com", true],
  ["example.com", "a.EXAMPLE.com", true],
  ["example.com", "anexample.com", false],
  [".example.com", "example.com", false],
  [".example.com", "a.example.com", true],
  ["*.example.com", "a.example.com", true],
  ["*.example.com", "example.com", false],
  ["example.com:6443", "example.com", false],
  [":443", "example.com", false],
];
for (const [noProxy, hostname, isDirect] of exceptions) {
  test(`environmentProxy() ${isDirect ? "leaves out" : "uses"} the proxy for ${hostname} with NO_PROXY=${noProxy}`, () => {
    const env = { HTTPS_PROXY: proxy, NO_PROXY: noProxy };
    assert.equal(environmentProxy(at(hostname), env), isDirect ? "" : proxy);
  });
}

test("environmentProxy() prefers variables in lower case, and completes the URL", () => {
  const env = { https_proxy: "proxy.example:3128", HTTPS_PROXY: "http://other:1" };
  assert.equal(environmentProxy(at("10.0.0.1"), env), proxy);
  assert.equal(environmentProxy({ ...at("10.0.0.1"), isSecure: false }, env), "");
  assert.equal(environmentProxy(at("10.0.0.1"), {}), "");
});
