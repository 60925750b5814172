import assert from "node:assert/strict";
import { test } from "node:test";
import recorded from "./recorded/signatures.json" with { type: "json" };
import { signedHeaders } from "./signature.ts";

const keys = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const now = Date.parse("2015-08-30T12:36:00Z");

for (const { method, url, headers, body, token, service, region, authorization } of recorded) {
  test(`signedHeaders() signs as AWS does: ${method} ${url}`, () => {
    const request = { method, url: new URL(url), headers: defined(headers), body };
    const signed = signedHeaders(
      request,
      { ...keys, ...(token === null ? {} : { sessionToken: token }) },
      { now, region, service },
    );
    assert.equal(signed["authorization"], authorization);
    assert.equal(signed["x-amz-date"], "20150830T123600Z");
  });
}

const defined = (headers: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? ""]));
