import { FlagError } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type Compatibility, readCompatibility } from "./compatibility.ts";
import type { ApiServerFlags } from "./index.ts";
import { addressErrors } from "./validate-addresses.ts";
import { identityErrors } from "./validate-identities.ts";

const storageMediaTypes = [
  "application/json",
  "application/vnd.kubernetes.protobuf",
  "application/yaml",
];

/**
 * Refuses invalid flags, all at once. Throws FlagError.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options, pkg/controlplane/apiserver/options/validation.go.
 */
export function validateFlags(
  flags: ApiServerFlags,
  enabled: (feature: string) => boolean,
): Compatibility {
  const errors: string[] = [];
  const refuse = (error: string): void => void errors.push(error);
  errors.push(...runErrors(flags), ...transportErrors(flags));
  const compatibility = readCompatibility(flags, refuse);
  for (const [flag, option] of [
    ["emulation-forward-compatible", "EmulationForwardCompatible"],
    ["runtime-config-emulation-forward-compatible", "RuntimeConfigEmulationForwardCompatible"],
  ] as const) {
    if (!flags[flag]) continue;
    refuse(
      `ServerRunOptions.${option} cannot be set to true if the emulation version is the same as the binary version`,
    );
  }
  errors.push(...storeErrors(flags), ...addressErrors(flags), ...identityErrors(flags));
  errors.push(...fairnessErrors(flags), ...otherErrors(flags, enabled));
  if (errors.length > 0) {
    throw new FlagError(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
  }
  return compatibility;
}

function runErrors(flags: ApiServerFlags): string[] {
  const chance = flags["goaway-chance"];
  const negative = (name: keyof ApiServerFlags & string) =>
    (flags[name] as number) < 0 ? [`--${name} can not be negative value`] : [];
  return [
    ...(flags["livez-grace-period"] < 0
      ? ["--livez-grace-period can not be a negative value"]
      : []),
    ...negative("max-requests-inflight"),
    ...negative("max-mutating-requests-inflight"),
    ...negative("request-timeout"),
    ...(chance < 0 || chance > 0.02
      ? ["--goaway-chance can not be less than 0 or greater than 0.02"]
      : []),
    ...negative("min-request-timeout"),
    ...negative("storage-initialization-timeout"),
    ...negative("shutdown-delay-duration"),
    ...(flags["shutdown-watch-termination-grace-period"] < 0
      ? ["shutdown-watch-termination-grace-period, if provided, can not be a negative value"]
      : []),
  ];
}

function transportErrors(flags: ApiServerFlags): string[] {
  return flags["strict-transport-security-directives"].flatMap((directive) => {
    if (directive.trim() === "") return ["empty value in strict-transport-security-directives"];
    if (/^(includeSubDomains|preload|max-age=[^=]*)$/.test(directive)) return [];
    return [
      "--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information",
    ];
  });
}

function storeErrors(flags: ApiServerFlags): string[] {
  const errors: string[] = [];
  if (!["", "etcd3"].includes(flags["storage-backend"])) {
    errors.push(
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    );
  }
  const overrides = flags["etcd-servers-overrides"];
  if (overrides.some((text) => !/^[^#/]*\/[^#/]*#[^#;]+(;[^#;]+)*$/.test(text))) {
    errors.push(
      "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated",
    );
  } else if (overrides.length > 0) {
    errors.push("--etcd-servers-overrides can't be used: all resources are in one store");
  }
  if (
    flags["encryption-provider-config"] === "" &&
    flags["encryption-provider-config-automatic-reload"]
  ) {
    errors.push(
      "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config",
    );
  }
  const mediaType = flags["storage-media-type"];
  if (mediaType !== "" && !storageMediaTypes.includes(mediaType)) {
    errors.push(
      `--storage-media-type ${goQuote(mediaType)} invalid, allowed values: ${storageMediaTypes.join(", ")}`,
    );
  }
  return errors;
}

function fairnessErrors(flags: ApiServerFlags): string[] {
  if (!flags["enable-priority-and-fairness"]) return [];
  const set = flags["runtime-config"];
  const decisive = ["flowcontrol.apiserver.k8s.io/v1", "api/ga", "api/all"].find((name) =>
    ["true", "false"].includes(set[name] ?? ""),
  );
  if (decisive === undefined || set[decisive] === "true") return [];
  return [`--runtime-config=${decisive}=false conflicts with --enable-priority-and-fairness=true`];
}

function otherErrors(flags: ApiServerFlags, enabled: (feature: string) => boolean): string[] {
  const errors: string[] = [];
  if (!enabled("UnknownVersionInteroperabilityProxy")) {
    for (const name of ["peer-ca-file", "peer-advertise-ip", "peer-advertise-port"] as const) {
      if (flags[name] === "") continue;
      errors.push(`--${name} requires UnknownVersionInteroperabilityProxy feature to be turned on`);
    }
  }
  const lease = "coordinated-leadership-lease-duration";
  const renew = "coordinated-leadership-renew-deadline";
  const retry = "coordinated-leadership-retry-period";
  if (flags[lease] <= flags[renew]) errors.push(`--${lease} must be greater than --${renew}`);
  if (flags[renew] <= flags[retry]) errors.push(`--${renew} must be greater than --${retry}`);
  if (flags["apiserver-count"] <= 0) {
    errors.push(
      `--apiserver-count should be a positive number, but value '${flags["apiserver-count"]}' provided`,
    );
  }
  return errors;
}
