import type { Case, Step } from "../case.ts";
import { create } from "./steps.ts";

/** Path at which pods are created. */
export const podsPath = "/api/v1/namespaces/{ns}/pods";

/** A valid container, with changes. */
export const container = (changes: object = {}): object => ({
  name: "c",
  image: "example.com/i:1",
  ...changes,
});

/** A pod of one container, with changes of its spec and metadata. */
export const pod = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", ...metadata },
  spec: { containers: [container()], ...spec },
});

/** A case that tries one pod after the other, none of which is stored. */
export function tryPods(name: string, bodies: readonly object[]): Case {
  return { name, steps: bodies.map((body) => attempt(podsPath, body)) };
}

/** A request to create an object with dryRun. */
export const attempt = (path: string, body: object): Step =>
  create(path, body, { query: "dryRun=All" });

/** Pods whose only container has changes. */
export const withContainers = (...changes: readonly object[]): object[] =>
  changes.map((change) => pod({ containers: [container(change)] }));

/** Pods with changes of their spec. */
export const withSpecs = (...changes: readonly object[]): object[] =>
  changes.map((change) => pod(change));

/** Pods with one volume. */
export const withVolumes = (...volumes: readonly object[]): object[] =>
  volumes.map((volume) => pod({ volumes: [{ name: "v", ...volume }] }));

/** A text of this number of letters. */
export const long = (length: number): string => "a".repeat(length);
