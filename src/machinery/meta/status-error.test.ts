import assert from "node:assert/strict";
import { test } from "node:test";
import * as field from "./field-error.ts";
import { fieldPath } from "./field-path.ts";
import * as status from "./status-error.ts";

const pods = { group: "", name: "pods", kind: "Pod" };
const deployments = { group: "apps", name: "deployments", kind: "Deployment" };

interface Case {
  error: status.StatusError;
  code: number;
  reason: string;
  message: string;
  details?: object;
}

const cases: Case[] = [
  {
    error: status.notFound(pods, "web"),
    code: 404,
    reason: "NotFound",
    message: 'pods "web" not found',
    details: { name: "web", kind: "pods" },
  },
  {
    error: status.alreadyExists(deployments, "web"),
    code: 409,
    reason: "AlreadyExists",
    message: 'deployments.apps "web" already exists',
    details: { name: "web", group: "apps", kind: "deployments" },
  },
  {
    error: status.generateNameConflict(pods, "web-x", 1),
    code: 409,
    reason: "AlreadyExists",
    message:
      'pods "web-x" already exists, the server was not able to generate a unique name for the object',
    details: { name: "web-x", kind: "pods", retryAfterSeconds: 1 },
  },
  {
    error: status.conflict(deployments, "web"),
    code: 409,
    reason: "Conflict",
    message:
      'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
    details: { name: "web", group: "apps", kind: "deployments" },
  },
  {
    error: status.applyConflict(
      [{ reason: "FieldManagerConflict", message: "m", field: ".f" }],
      "no",
    ),
    code: 409,
    reason: "Conflict",
    message: "no",
    details: { causes: [{ reason: "FieldManagerConflict", message: "m", field: ".f" }] },
  },
  {
    error: status.invalid(pods, "web", [field.required(fieldPath("spec", "x"))]),
    code: 422,
    reason: "Invalid",
    message: 'Pod "web" is invalid: spec.x: Required value',
    details: {
      name: "web",
      kind: "Pod",
      causes: [{ reason: "FieldValueRequired", message: "Required value", field: "spec.x" }],
    },
  },
  {
    error: status.invalid(deployments, "", [
      field.required(fieldPath("a")),
      field.forbidden(fieldPath("b"), "no"),
    ]),
    code: 422,
    reason: "Invalid",
    message: 'Deployment.apps "" is invalid: [a: Required value, b: Forbidden: no]',
    details: {
      group: "apps",
      kind: "Deployment",
      causes: [
        { reason: "FieldValueRequired", message: "Required value", field: "a" },
        { reason: "FieldValueForbidden", message: "Forbidden: no", field: "b" },
      ],
    },
  },
  {
    error: status.invalid(pods, "web", []),
    code: 422,
    reason: "Invalid",
    message: 'Pod "web" is invalid',
    details: { name: "web", kind: "Pod" },
  },
  { error: status.badRequest("what"), code: 400, reason: "BadRequest", message: "what" },
  {
    error: status.unauthorized("Unauthorized"),
    code: 401,
    reason: "Unauthorized",
    message: "Unauthorized",
  },
  {
    error: status.forbidden(pods, "web", "no"),
    code: 403,
    reason: "Forbidden",
    message: 'pods "web" is forbidden: no',
    details: { name: "web", kind: "pods" },
  },
  {
    error: status.forbidden(pods, "", "no"),
    code: 403,
    reason: "Forbidden",
    message: "pods is forbidden: no",
    details: { kind: "pods" },
  },
  {
    error: status.forbidden(undefined, "", "no"),
    code: 403,
    reason: "Forbidden",
    message: "forbidden: no",
    details: {},
  },
  { error: status.resourceExpired("old"), code: 410, reason: "Expired", message: "old" },
  {
    error: status.tooManyRequests("wait", 2),
    code: 429,
    reason: "TooManyRequests",
    message: "wait",
    details: { retryAfterSeconds: 2 },
  },
  {
    error: status.timeout("late", 0),
    code: 504,
    reason: "Timeout",
    message: "Timeout: late",
    details: {},
  },
  {
    error: status.tooLargeResourceVersion(9, 5, 1),
    code: 504,
    reason: "Timeout",
    message: "Timeout: Too large resource version: 9, current: 5",
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  },
  {
    error: status.methodNotSupported(deployments, "watch"),
    code: 405,
    reason: "MethodNotAllowed",
    message: 'watch is not supported on resources of kind "deployments.apps"',
    details: { group: "apps", kind: "deployments" },
  },
  {
    error: status.requestEntityTooLarge("limit is 3145728"),
    code: 413,
    reason: "RequestEntityTooLarge",
    message: "Request entity too large: limit is 3145728",
  },
  {
    error: status.unsupportedMediaType(["application/json", "application/yaml"]),
    code: 415,
    reason: "UnsupportedMediaType",
    message:
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml",
  },
  {
    error: status.notAcceptable(["application/json"]),
    code: 406,
    reason: "NotAcceptable",
    message: "only the following media types are accepted: application/json",
  },
  {
    error: status.notAcceptable(["application/json"], "meta.k8s.io/v1, Kind=Table"),
    code: 406,
    reason: "NotAcceptable",
    message:
      "only the following media types are accepted when converting to meta.k8s.io/v1, Kind=Table: application/json",
  },
  {
    error: status.internalError(new Error("oops")),
    code: 500,
    reason: "InternalError",
    message: "Internal error occurred: oops",
    details: { causes: [{ message: "oops" }] },
  },
  {
    error: status.serviceUnavailable("down"),
    code: 503,
    reason: "ServiceUnavailable",
    message: "down",
  },
];

for (const { error, code, reason, message, details } of cases) {
  test(`StatusError ${reason}: ${message}`, () => {
    assert.deepEqual(error.status, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      ...(details === undefined ? {} : { details }),
      code,
    });
    assert.equal(error.message, message);
    assert.equal(error.code, code);
  });
}

test("StatusError writes its fields in Go's order", () => {
  assert.equal(
    JSON.stringify(status.notFound(deployments, "web").status),
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \\"web\\" not found","reason":"NotFound","details":{"name":"web","group":"apps","kind":"deployments"},"code":404}',
  );
});

test("isStatusError() and related functions check the reason", () => {
  const error = status.notFound(pods, "web");
  assert.ok(status.isStatusError(error));
  assert.ok(status.isNotFound(error));
  assert.ok(!status.isConflict(error));
  assert.ok(!status.isAlreadyExists(error));
  assert.ok(status.isGone(status.resourceExpired("old")));
  assert.ok(!status.isStatusError(new Error("x")));
  assert.equal(status.fromStatus(error.status).code, 404);
});
