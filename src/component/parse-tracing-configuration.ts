/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options/tracing.go,
 * staging/src/k8s.io/component-base/tracing/api/v1/config.go.
 */
import { readConfigDocument } from "#/machinery/component/config-document.ts";
import { type FieldError, formatFieldErrors, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** The file of --tracing-config-file. */
export interface TracingConfiguration {
  /** Address of the collector, for openChannel(). */
  readonly address: string;
  /** From 0 to 1. */
  readonly ratio: number;
}

const defaultEndpoint = "localhost:4317";

const million = 1_000_000;

/** Reads the text of the file. */
export function parseTracingConfiguration(text: string): TracingConfiguration {
  return tracingOf(decode(text));
}

/** The configuration of its fields, which a kubelet's configuration has as well. */
export function tracingOf({
  endpoint = defaultEndpoint,
  samplingRatePerMillion = 0,
}: Fields): TracingConfiguration {
  const errors = [...rateErrors(samplingRatePerMillion), ...endpointErrors(endpoint)];
  if (errors.length > 0) {
    throw new Error(`failed to validate tracing configuration: ${formatFieldErrors(errors)}`);
  }
  return { address: addressOf(endpoint), ratio: samplingRatePerMillion / million };
}

interface Fields {
  readonly endpoint?: string;
  readonly samplingRatePerMillion?: number;
}

function decode(text: string): Fields {
  try {
    return readConfigDocument(text, {
      kind: "TracingConfiguration",
      apiVersions: ["v1", "v1beta1", "v1alpha1"].map((name) => `apiserver.config.k8s.io/${name}`),
    });
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(
      `failed to read tracing config: unable to decode tracing configuration data: ${reason}`,
      { cause: error },
    );
  }
}

function rateErrors(rate: number): FieldError[] {
  const path = fieldPath("samplingRatePerMillion");
  if (rate < 0) return [invalid(path, rate, "sampling rate must be positive")];
  if (rate <= million) return [];
  const why = "sampling rate per million must be less than or equal to one million";
  return [invalid(path, rate, why)];
}

function endpointErrors(given: string): FieldError[] {
  const path = fieldPath("endpoint");
  const endpoint = given.includes("//") ? given : `dns://${given}`;
  if (/\s/.test(endpoint)) {
    const reason = `parse ${goQuote(endpoint)}: invalid character " " in host name`;
    return [invalid(path, endpoint, reason)];
  }
  const [scheme = ""] = endpoint.split(":", 1);
  if (["dns", "unix", "unix-abstract"].includes(scheme)) return [];
  return [
    invalid(
      path,
      endpoint,
      `unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`,
    ),
  ];
}

/** gRPC's server names in the form of our channels. */
function addressOf(endpoint: string): string {
  if (/^unix(-abstract)?:/.test(endpoint)) return endpoint;
  const target = endpoint.replace(/^dns:(\/\/[^/]*\/)?/, "");
  return `http://${/:\d+$/.test(target) ? target : `${target}:443`}`;
}
