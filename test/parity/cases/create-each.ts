import type { Case } from "../case.ts";
import { create } from "./steps.ts";

/** A case for each body: one attempt to create it. */
export function createEach(path: string, bodies: Readonly<Record<string, unknown>>): Case[] {
  return Object.entries(bodies).map(([name, body]) => ({ name, steps: [create(path, body)] }));
}

/** Puts a spec into an object of a kind. */
export const objectOf = (
  apiVersion: string,
  kind: string,
  content: object,
  metadata: object = { name: "a" },
): object => ({ apiVersion, kind, metadata, ...content });
