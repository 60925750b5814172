/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options/tracing.go,
 * staging/src/k8s.io/component-base/tracing/api/v1/config.go.
 */
import { readFileSync } from "node:fs";
import { openFailure } from "#/std/files/file-errors.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  parseTracingConfiguration,
  type TracingConfiguration,
} from "./parse-tracing-configuration.ts";

/** Our components other than kube-apiserver and kubelet have the flag, too; upstream's have no tracing. */
export const tracingFlags = {
  "tracing-config-file": {
    type: "string",
    help: "A file that says where spans are sent: one for each step of a journey.",
  },
} satisfies FlagSet;

/** The configuration of a flag; undefined if it is not set. */
export const tracingOfFlags = (flags: {
  readonly "tracing-config-file": string;
}): TracingConfiguration | undefined =>
  flags["tracing-config-file"] === ""
    ? undefined
    : readTracingConfiguration(flags["tracing-config-file"]);

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
