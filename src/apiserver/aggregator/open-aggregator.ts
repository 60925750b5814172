import { logger } from "#/std/log/log.ts";
import type { Dial } from "../egress/egress.ts";
import { CertificateFiles } from "../outgoing/certificate-files.ts";
import type { Registry } from "../registry/registry.ts";
import { Aggregator } from "./aggregator.ts";

/** The flags of aggregation. */
interface AggregatorFlags {
  readonly "aggregator-reject-forwarding-redirect": boolean;
  readonly "enable-aggregator-routing": boolean;
  readonly "proxy-client-cert-file": string;
  readonly "proxy-client-key-file": string;
}

/** Opens the aggregator with the flags' settings. */
export function openAggregator(
  flags: AggregatorFlags,
  registry: Registry,
  { dial, files }: { readonly dial: Dial | undefined; readonly files: DisposableStack },
): Aggregator {
  const { "proxy-client-cert-file": cert, "proxy-client-key-file": key } = flags;
  const own = files.use(new CertificateFiles({ cert, key }, registry.clock));
  return new Aggregator({
    registry,
    log: logger("aggregator"),
    routeToEndpoints: flags["enable-aggregator-routing"],
    rejectRedirects: flags["aggregator-reject-forwarding-redirect"],
    identity: () => own.current,
    dial,
  });
}
