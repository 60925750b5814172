import assert from "node:assert/strict";
import { test } from "node:test";
import { dialFailure } from "./dial-failure.ts";

const failure = (code: string, more: object = {}): Error =>
  Object.assign(new Error("other"), { code, ...more });

test("dialFailure() has Go's words", () => {
  const cases: readonly [Error, string][] = [
    [failure("ECONNREFUSED"), "dial tcp host:1: connect: connection refused"],
    [
      failure("ECONNREFUSED", { address: "fd00::1", port: 2 }),
      "dial tcp [fd00::1]:2: connect: connection refused",
    ],
    [
      new AggregateError([failure("EHOSTUNREACH", { address: "1.2.3.4", port: 5 })]),
      "dial tcp 1.2.3.4:5: connect: no route to host",
    ],
    [failure("ENOTFOUND"), "dial tcp: lookup host: no such host"],
    [failure("ETIMEDOUT"), "dial tcp host:1: i/o timeout"],
    [failure("ECONNRESET"), "EOF"],
    [
      failure("DEPTH_ZERO_SELF_SIGNED_CERT"),
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    ],
    [
      failure("EPROTO", {
        message: "write EPROTO 40:error:0A:SSL routines::wrong version number:",
      }),
      "tls: first record does not look like a TLS handshake",
    ],
    [failure("EPROTO"), "other"],
    [failure("EOTHER"), "other"],
  ];
  for (const [error, text] of cases) assert.equal(dialFailure(error, "host:1"), text);
});
