import type { HostAlias, PodDNSConfig, PodSpec } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLegacyIp } from "#/machinery/meta/ip-rules.ts";
import {
  isDNS1123Subdomain,
  isDNS1123SubdomainWithUnderscore,
  isLongerThan,
} from "#/machinery/meta/names.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import type { ValidationScope } from "./base/validation-scope.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** Checks the DNS policy. */
export function validateDNSPolicy(
  report: FieldReport,
  path: FieldPath,
  policy: string | undefined,
): void {
  if (!policy) report.required(path, "dnsPolicy");
  else if (!dnsPolicies.includes(policy)) {
    report.notSupported(path, "dnsPolicy", policy, dnsPolicies);
  }
}

const maxNameservers = 3;
const maxSearches = 32;
const maxSearchBytes = 2048;

/** Checks the DNS config, which the policy None requires. */
export function validateDNSConfig(
  { dnsConfig, dnsPolicy }: PodSpec,
  path: FieldPath,
  report: FieldReport,
): void {
  if (dnsPolicy === "None" && dnsConfig === undefined) {
    report.required(path, "", "must provide `dnsConfig` when `dnsPolicy` is None");
    return;
  }
  if (dnsPolicy === "None" && !dnsConfig?.nameservers?.length) {
    const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    report.required(path, "nameservers", detail);
    return;
  }
  if (dnsConfig === undefined) return;
  validateNameservers(dnsConfig, path, report);
  validateSearches(report, path, dnsConfig.searches ?? []);
  dnsConfig.options?.forEach(({ name }, index) => {
    if (!name) report.required(path.child("options").index(index), "", "must not be empty");
  });
}

function validateNameservers(
  { nameservers = [] }: PodDNSConfig,
  path: FieldPath,
  report: FieldReport,
): void {
  if (nameservers.length > maxNameservers) {
    const detail = `must not have more than ${maxNameservers} nameservers`;
    report.invalid(path, "nameservers", nameservers, detail);
  }
  nameservers.forEach((address, index) => {
    report.add(validateLegacyIp(path.child("nameservers").index(index), address));
  });
}

function validateSearches(report: FieldReport, path: FieldPath, searches: readonly string[]): void {
  if (searches.length > maxSearches) {
    const detail = `must not have more than ${maxSearches} search paths`;
    report.invalid(path, "searches", searches, detail);
  }
  if (isLongerThan(searches.join(" "), maxSearchBytes)) {
    const detail = `must not have more than ${maxSearchBytes} characters (including spaces) in the search list`;
    report.invalid(path, "searches", searches, detail);
  }
  searches.forEach((search, index) => {
    if (search === ".") return;
    const name = search.endsWith(".") ? search.slice(0, -1) : search;
    const problems = isDNS1123SubdomainWithUnderscore(name);
    report.problems(path.child("searches").index(index), "", name, problems);
  });
}

/** Checks additional entries of the hosts file. */
export function validateHostAliases(
  aliases: readonly HostAlias[] | undefined,
  path: FieldPath,
  report: FieldReport,
): void {
  aliases?.forEach(({ ip, hostnames = [] }, index) => {
    const at = path.index(index);
    report.add(validateLegacyIp(at.child("ip"), ip));
    hostnames.forEach((hostname, position) => {
      const place = at.child("hostnames").index(position);
      report.problems(place, "", hostname, isDNS1123Subdomain(hostname));
    });
  });
}

/** With hostNetwork, a container port and its host port must be equal. */
export function validateHostNetworkPorts(
  spec: PodSpec,
  path: FieldPath,
  { report, options }: ValidationScope,
): void {
  if (!spec.hostNetwork) return;
  spec.containers.forEach(({ ports = [] }, index) => {
    ports.forEach(({ hostPort = 0, containerPort }, position) => {
      if (hostPort === containerPort || (hostPort === 0 && !options.resourceIsPod)) return;
      const at = path.child("containers").index(index).child("ports").index(position);
      const detail = "must match `containerPort` when `hostNetwork` is true";
      report.invalid(at, "hostPort", hostPort, detail);
    });
  });
}

const maxHostnameBytes = 64;

/** Checks hostnameOverride. */
export function validateHostnameOverride(
  { hostnameOverride: name, setHostnameAsFQDN, hostNetwork }: PodSpec,
  path: FieldPath,
  report: FieldReport,
): void {
  if (name === undefined) return;
  const field = "hostnameOverride";
  if (setHostnameAsFQDN) {
    report.forbidden(path, field, "may not be specified when setHostnameAsFQDN is true");
  }
  if (hostNetwork) report.forbidden(path, field, "may not be specified when hostNetwork is true");
  if (isLongerThan(name, maxHostnameBytes)) report.tooLong(path, field, maxHostnameBytes);
  report.problems(path, field, name, isDNS1123Subdomain(name));
}
