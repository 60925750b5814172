import assert from "node:assert/strict";
import { test } from "node:test";
import { notFound } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import {
  AmbiguousWriteError,
  CorruptError,
  NoSpaceError,
  TooLargeError,
  UnavailableError,
} from "#/storage/base/storage.ts";
import { answerErrors } from "./errors.ts";
import { callInProcess, collectBody } from "./in-process.ts";

const cases: readonly {
  readonly error: Error;
  readonly code: number;
  readonly reason: string | undefined;
}[] = [
  { error: notFound({ group: "", name: "pods" }, "a"), code: 404, reason: "NotFound" },
  { error: new UnavailableError("no leader"), code: 503, reason: "ServiceUnavailable" },
  { error: new NoSpaceError("disk full"), code: 503, reason: "ServiceUnavailable" },
  { error: new TooLargeError("too large"), code: 413, reason: "RequestEntityTooLarge" },
  { error: new CorruptError("damaged"), code: 500, reason: "InternalError" },
  { error: new Error("a bug"), code: 500, reason: "InternalError" },
  // With Retry-After, clients would send it again and create a second Pod with a generated name.
  { error: new AmbiguousWriteError("request timed out"), code: 500, reason: undefined },
];

for (const { error, code, reason } of cases) {
  test(`answerErrors() answers ${error.name} (${error.message}) with ${code}`, async () => {
    const filter = answerErrors(logger("test"));
    const fail = () => Promise.reject(error);
    const reply = await callInProcess((exchange) => filter(exchange, fail), {
      method: "POST",
      url: "/api/v1/namespaces/default/pods",
    });
    const status = JSON.parse((await collectBody(reply)).toString()) as { reason?: string };
    assert.equal(reply.status, code);
    assert.equal(status.reason, reason);
    assert.equal(reply.headers["retry-after"], undefined);
  });
}
