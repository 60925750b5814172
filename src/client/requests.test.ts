import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments } from "#/api/apps/v1.ts";
import { namespaces, pods } from "#/api/core/v1.ts";
import {
  createRequest,
  deleteCollectionRequest,
  deleteRequest,
  getRequest,
  listRequest,
  patchRequest,
  updateRequest,
  watchRequest,
} from "./requests.ts";
import { resourcePath } from "./resource-path.ts";
import { type ApiRequest, formatQuery } from "./transport/transport.ts";

const web = { name: "web", namespace: "shop" };
const line = ({ method, path, query }: ApiRequest): string =>
  `${method} ${path}${formatQuery(query)}`;

const lines: readonly (readonly [ApiRequest, string])[] = [
  [getRequest(pods, web), "GET /api/v1/namespaces/shop/pods/web"],
  [getRequest(pods, web, {}, "log"), "GET /api/v1/namespaces/shop/pods/web/log"],
  [
    getRequest(pods, web, { resourceVersion: "0" }),
    "GET /api/v1/namespaces/shop/pods/web?resourceVersion=0",
  ],
  [getRequest(namespaces, { name: "shop", namespace: "x" }), "GET /api/v1/namespaces/shop"],
  [getRequest(deployments, web), "GET /apis/apps/v1/namespaces/shop/deployments/web"],
  [getRequest(namespaces, { name: "a/b c" }), "GET /api/v1/namespaces/a%2Fb%20c"],
  [listRequest(pods), "GET /api/v1/pods"],
  [
    listRequest(pods, { namespace: "shop", labelSelector: "a in (b,c)", limit: 5, continue: "x" }),
    "GET /api/v1/namespaces/shop/pods?continue=x&labelSelector=a+in+%28b%2Cc%29&limit=5",
  ],
  [listRequest(pods, { fieldSelector: "", labelSelector: "" }), "GET /api/v1/pods"],
  [
    watchRequest(pods, { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }),
    "GET /api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true",
  ],
  [
    createRequest(pods, { namespace: "shop" }, {}, { dryRun: true, fieldManager: "me" }),
    "POST /api/v1/namespaces/shop/pods?dryRun=All&fieldManager=me",
  ],
  [createRequest(pods, web, {}, {}, "binding"), "POST /api/v1/namespaces/shop/pods/web/binding"],
  [updateRequest(pods, web, {}, {}, "status"), "PUT /api/v1/namespaces/shop/pods/web/status"],
  [
    patchRequest(pods, web, {}, { type: "apply", force: true, fieldManager: "me" }),
    "PATCH /api/v1/namespaces/shop/pods/web?fieldManager=me&force=true",
  ],
  [deleteRequest(pods, web), "DELETE /api/v1/namespaces/shop/pods/web"],
  [
    deleteCollectionRequest(pods, { namespace: "shop", labelSelector: "a=b" }),
    "DELETE /api/v1/namespaces/shop/pods?labelSelector=a%3Db",
  ],
];

for (const [request, expected] of lines) {
  test(`requests: ${expected}`, () => assert.equal(line(request), expected));
}

test("deleteRequest() puts its options into the body", () => {
  const preconditions = { uid: "u" };
  const options = { gracePeriodSeconds: 0, propagationPolicy: "Orphan", preconditions } as const;
  assert.deepEqual(deleteRequest(pods, web, { ...options, dryRun: true }).body, {
    kind: "DeleteOptions",
    apiVersion: "v1",
    ...options,
    dryRun: ["All"],
  });
});

test("patchRequest() sets the content type of the patch", () => {
  const type = (patch: "json" | "merge" | "strategic" | "apply") =>
    patchRequest(pods, web, {}, { type: patch }).headers?.["content-type"];
  assert.deepEqual(
    [type("json"), type("merge"), type("strategic"), type("apply")],
    [
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/strategic-merge-patch+json",
      "application/apply-patch+yaml",
    ],
  );
});

test("requests for one object require its name and namespace", () => {
  assert.throws(() => getRequest(pods, { name: "", namespace: "shop" }), /may not be empty/);
  assert.throws(() => getRequest(pods, { name: "web" }), /empty namespace may not be set/);
  assert.equal(resourcePath(pods, { namespace: "" }), "/api/v1/pods");
});

test("reads of metadata ask for upstream's media types, and accept whole objects", () => {
  const options = { metadataOnly: true };
  const accepted = (kind: string): string =>
    `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
  assert.deepEqual(
    [
      getRequest(pods, web, options),
      listRequest(pods, options),
      watchRequest(pods, options),
      getRequest(pods, web),
    ].map(({ headers }) => headers?.["accept"]),
    [
      accepted("PartialObjectMetadata"),
      accepted("PartialObjectMetadataList"),
      accepted("PartialObjectMetadata"),
      undefined,
    ],
  );
});
