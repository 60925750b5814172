import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf } from "./table.ts";
import { podsByNode, troublesOf, withDiagnoses } from "./troubles.ts";

test("troublesOf() is patient with Pods that start, and not with those that fail", () => {
  const columns = ["Name", "Ready", "Status", "Node"].map((name) => ({ name, type: "string" }));
  const of = (name: string, ready: string, status: string, age: number) => ({
    cells: [name, ready, status, "n1"],
    object: {
      metadata: { name, uid: name, creationTimestamp: new Date(1e12 - age).toISOString() },
    },
  });
  const rows = rowsOf({
    metadata: {},
    rows: [
      of("fine", "1/1", "Running", 1e6),
      of("new", "0/1", "ContainerCreating", 1000),
      of("old", "0/1", "Pending", 1e6),
      of("bad", "0/1", "ErrImagePull", 1000),
      of("unready", "0/1", "Running", 2e6),
      of("done", "0/1", "Completed", 2e6),
    ],
  });
  const found = troublesOf(columns, rows, 1e12).map(
    ({ name, status, tone }) => `${name} ${status} ${tone}`,
  );
  assert.deepEqual(found, ["bad ErrImagePull bad", "old Pending busy", "unready Ready 0/1 busy"]);
  assert.deepEqual([...podsByNode(columns, rows)], [["n1", 6]]);
});

test("withDiagnoses() adds sentences, and what no list shows", () => {
  const trouble = {
    id: "1",
    key: "pods",
    namespace: "a",
    name: "p",
    status: "Pending",
    tone: "busy" as const,
    createdMs: 5,
  };
  const subject = { group: "", resource: "pods", kind: "Pod", namespace: "a", name: "p" };
  const claim = {
    group: "",
    resource: "persistentvolumeclaims",
    kind: "PersistentVolumeClaim",
    namespace: "a",
    name: "data",
  };
  const found = withDiagnoses(
    [trouble],
    [
      { subject, sentence: "one", findings: [] },
      { subject: claim, sentence: "two", findings: [{ since: "2026-01-01T00:00:00Z" }] },
    ],
  );
  assert.deepEqual(
    found.map(({ key, name, sentence }) => `${key} ${name} ${sentence}`),
    ["persistentvolumeclaims data two", "pods p one"],
  );
});

test("withDiagnoses() leaves out the Pods that their owner's diagnosis is about", () => {
  const pod = (name: string) => ({
    ...{ id: name, key: "pods", namespace: "a", name, status: "Error" },
    ...{ tone: "bad" as const, createdMs: 5 },
  });
  const subject = { group: "apps", resource: "deployments", kind: "Deployment" };
  const found = withDiagnoses(
    [pod("web-1f-x"), pod("web-1f-y"), pod("web-2f-z"), pod("other")],
    [
      {
        subject: { ...subject, namespace: "a", name: "web" },
        sentence: "one",
        findings: [{ about: { kind: "Pod", namespace: "a", name: "web-1f-x" } }],
      },
    ],
  );
  assert.deepEqual(found.map(({ name }) => name).sort(), ["other", "web", "web-2f-z"]);
});
