import { readFile } from "node:fs/promises";
import { logger } from "#/std/log.ts";
import type { Registry } from "../registry/registry.ts";
import { Aggregator } from "./aggregator.ts";

/** The flags of aggregation. */
export interface AggregatorFlags {
  readonly "aggregator-reject-forwarding-redirect": boolean;
  readonly "enable-aggregator-routing": boolean;
  readonly "proxy-client-cert-file": string;
  readonly "proxy-client-key-file": string;
}

/** Reads the certificate that the flags name. */
export async function openAggregator(
  flags: AggregatorFlags,
  registry: Registry,
): Promise<Aggregator> {
  const { "proxy-client-cert-file": certFile, "proxy-client-key-file": keyFile } = flags;
  const named = certFile !== "" && keyFile !== "";
  return new Aggregator({
    registry,
    log: logger("aggregator"),
    routeToEndpoints: flags["enable-aggregator-routing"],
    rejectRedirects: flags["aggregator-reject-forwarding-redirect"],
    clientCertificate: named
      ? { cert: await readFile(certFile), key: await readFile(keyFile) }
      : undefined,
  });
}
