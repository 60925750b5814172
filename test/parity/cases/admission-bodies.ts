import type { Step } from "../case.ts";
import { objectOf } from "./create-each.ts";
import { create } from "./steps.ts";

const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";

export const namespace = "/api/v1/namespaces/{ns}";

export const nodes = "/api/v1/nodes";

export const account = (change: object = {}): Step =>
  create(accounts, { ...objectOf("v1", "ServiceAccount", {}, { name: "default" }), ...change });

export const container = { name: "c", image: "i" };

export const pod = (spec: object = {}, metadata: object = {}): object =>
  objectOf("v1", "Pod", { spec: { containers: [container], ...spec } }, { name: "a", ...metadata });

export const withContainer = (change: object): object =>
  pod({ containers: [{ ...container, ...change }] });

/** Requests that the real server's plugins handle only once their caches are up to date. */
export const later = (step: Step): Step => ({ ...step, waitSeconds: 1 });

export const map = (name = "a"): object => objectOf("v1", "ConfigMap", {}, { name });

export function mirror(): object {
  return { annotations: { "kubernetes.io/config.mirror": "x" } };
}

export function claim(storage: string): object {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
  return objectOf("v1", "PersistentVolumeClaim", { spec });
}
