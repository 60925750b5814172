import type { Step } from "../case.ts";
import { podsPath } from "./pod-bodies.ts";
import { merge } from "./steps.ts";

export const one = `${podsPath}/p`;

export const status = `${one}/status`;

export const setStatus = (change: object): Step => merge(status, { status: change });

export const table = (path: string): Step => ({
  method: "GET",
  path,
  headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
});

export const containerStatus = (changes: object): object => ({
  name: "c",
  ready: false,
  restartCount: 0,
  image: "i",
  imageID: "",
  ...changes,
});

export const long = "2001-01-01T00:00:00Z";

export const running = { state: { running: { startedAt: long } } };
