/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options/tracing.go,
 * staging/src/k8s.io/component-base/tracing/api/v1/config.go.
 */
import { readFileSync } from "node:fs";
import { openFailure } from "#/std/files/file-errors.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  parseTracingConfiguration,
  type TracingConfiguration,
} from "./parse-tracing-configuration.ts";

/** Reads the file. Throws if it is not a valid configuration. */
export function readTracingConfiguration(file: string): TracingConfiguration {
  return parseTracingConfiguration(readText(file));
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(
      `failed to read tracing config: unable to read tracing configuration from ${goQuote(file)}: ${openFailure(file, error)}`,
      { cause: error },
    );
  }
}
