import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "./tracer.ts";

let spans: AsyncLocalStorage<Span> | undefined;

/** Called by the first tracer: without tracing, active spans cost nothing. */
export function followActiveSpans(): void {
  spans ??= new AsyncLocalStorage();
}

/** Runs work whose active span is this one. */
export function runInSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
  return spans ? spans.run(span, work) : work();
}

/** The span of the caller; undefined if it isn't recorded. */
export const activeSpan = (): Span | undefined => spans?.getStore();
