/** Upstream: apiserver/pkg/server/options/tracing.go, component-base/tracing/api/v1/config.go. */
import { readFileSync } from "node:fs";
import { openFailure } from "#/std/files/file-errors.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  parseTracingConfiguration,
  type TracingConfiguration,
} from "./parse-tracing-configuration.ts";

/** Reads the file. Throws if it is no such configuration, or one that can't be. */
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
