import { createHash } from "node:crypto";
import type { StepObject } from "./step.ts";

/**
 * The trace of an object's way. Each component computes the same one, so that their spans, and those of an export, belong
 * together, and a second export replaces the first.
 */
export const traceIdOf = (of: StepObject): string => digest(keyOf(of), 32);

/** The span of the whole way. */
export const rootSpanIdOf = (of: StepObject): string => digest(`root ${keyOf(of)}`, 16);

/** A span of a step: different for all steps of an object that differ in the text. */
export const stepSpanIdOf = (of: StepObject, text: string): string =>
  digest(`${keyOf(of)} ${text}`, 16);

const keyOf = ({ resource, namespace = "", name, uid = "" }: StepObject): string =>
  `${resource}/${namespace}/${name}/${uid}`;

const digest = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length);
