import assert from "node:assert/strict";
import { test } from "node:test";
import { signedHeaders } from "./aws-signature.ts";
import recorded from "./recorded/aws-signatures.json" with { type: "json" };

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

/** The examples of AWS's page on signatures in the Authorization header of S3. */
const ofS3 = [
  {
    method: "GET",
    path: "/test.txt",
    headers: { range: "bytes=0-9" },
    body: "",
    signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  },
  {
    method: "PUT",
    path: "/test%24file.text",
    headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
    body: "Welcome to Amazon S3.",
    signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  },
  {
    method: "GET",
    path: "/?max-keys=2&prefix=J",
    headers: {},
    body: "",
    signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  },
] as const;
for (const { method, path, headers, body, signature } of ofS3) {
  test(`signedHeaders() signs for S3: ${method} ${path}`, () => {
    const url = new URL(`https://examplebucket.s3.amazonaws.com${path}`);
    const signed = signedHeaders(
      { method, url, headers, body },
      {
        accessKeyId: "AKIAIOSFODNN7EXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      },
      { now: Date.parse("2013-05-24T00:00:00Z"), region: "us-east-1", service: "s3" },
    );
    assert.equal(signed["authorization"]?.split("Signature=")[1], signature);
  });
}

const defined = (headers: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? ""]));
