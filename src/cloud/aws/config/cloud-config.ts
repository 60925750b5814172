/** Upstream: cloud-provider-aws pkg/providers/v1/config/config.go. */
import { goQuote } from "#/std/go/go-quote.ts";
import type { ServiceOverride } from "../client/endpoint.ts";
import { readGcfg } from "./gcfg.ts";
import { GcfgError } from "./gcfg-scanner.ts";

/** The keys of [Global]: names as upstream writes them, in any case in the file. */
export interface GlobalConfig {
  readonly Zone: string;
  readonly Region: string;
  readonly VPC: string;
  readonly SubnetID: string;
  readonly RouteTableID: string;
  readonly RoleARN: string;
  readonly SourceARN: string;
  readonly KubernetesClusterTag: string;
  readonly KubernetesClusterID: string;
  readonly DisableSecurityGroupIngress: boolean;
  readonly ElbSecurityGroup: string;
  /** In order of preference; ipv4 if the file has none. */
  readonly NodeIPFamilies: readonly string[];
  readonly ClusterServiceLoadBalancerHealthProbeMode: string;
  /** 0 if the file has none. */
  readonly ClusterServiceSharedLoadBalancerHealthProbePort: number;
  readonly ClusterServiceSharedLoadBalancerHealthProbePath: string;
  readonly SupportedTopologyInstanceTypePattern: string;
  readonly NLBSecurityGroupMode: string;
}

export interface CloudConfig {
  readonly global: GlobalConfig;
  /** In the order of the file. Complete and without duplicates. */
  readonly overrides: readonly ServiceOverride[];
  /** Entries that have no meaning, as upstream's reader describes them. They are ignored. */
  readonly warnings: readonly string[];
}

type Setting = string | boolean | number | readonly string[];

const globalDefaults: GlobalConfig = {
  Zone: "",
  Region: "",
  VPC: "",
  SubnetID: "",
  RouteTableID: "",
  RoleARN: "",
  SourceARN: "",
  KubernetesClusterTag: "",
  KubernetesClusterID: "",
  DisableSecurityGroupIngress: false,
  ElbSecurityGroup: "",
  NodeIPFamilies: [],
  ClusterServiceLoadBalancerHealthProbeMode: "",
  ClusterServiceSharedLoadBalancerHealthProbePort: 0,
  ClusterServiceSharedLoadBalancerHealthProbePath: "",
  SupportedTopologyInstanceTypePattern: "",
  NLBSecurityGroupMode: "",
};

const overrideDefaults = {
  Service: "",
  Region: "",
  URL: "",
  SigningRegion: "",
  SigningMethod: "",
  SigningName: "",
};

/** Reads a cloud-config file. Throws with upstream's text if it is malformed or an override is incomplete. */
export function parseCloudConfig(source: string): CloudConfig {
  const warnings: string[] = [];
  try {
    const global = readGlobal(source, warnings);
    const overrides = validateOverrides(readOverrides(source, warnings));
    return { global, overrides, warnings };
  } catch (error) {
    if (!(error instanceof GcfgError)) throw error;
    throw new Error(`unable to read AWS cloud provider config file: ${error.message}`, {
      cause: error,
    });
  }
}

function readGlobal(source: string, warnings: string[]): GlobalConfig {
  const global: Record<string, Setting> = { ...globalDefaults };
  for (const { section, subsection, name, value } of readGcfg(source)) {
    const isGlobal = sameName(section, "Global");
    if (!isGlobal && !sameName(section, "ServiceOverride")) {
      warnings.push(`can't store data at section "${section}"`);
    } else if (isGlobal && subsection !== "") {
      warnings.push(`can't store data at section "${section}"`);
    } else if (isGlobal && name !== undefined) {
      assign(global, name, value, `section "${section}", variable "${name}"`, warnings);
    }
  }
  const families = global["NodeIPFamilies"] as readonly string[];
  return {
    ...(global as unknown as GlobalConfig),
    NodeIPFamilies: families.length === 0 ? ["ipv4"] : families,
  };
}

type RawOverride = typeof overrideDefaults;

function readOverrides(source: string, warnings: string[]): ReadonlyMap<string, RawOverride> {
  const overrides = new Map<string, Record<string, Setting>>();
  for (const { section, subsection, name, value } of readGcfg(source)) {
    if (!sameName(section, "ServiceOverride")) continue;
    const override = overrides.get(subsection) ?? { ...overrideDefaults };
    overrides.set(subsection, override);
    if (name === undefined) continue;
    const place = `section "${section}", subsection "${subsection}", variable "${name}"`;
    assign(override, name, value, place, warnings);
  }
  return overrides as unknown as ReadonlyMap<string, RawOverride>;
}

/** Sets a key by the type of its default. A list gets one more element. */
function assign(
  target: Record<string, Setting>,
  name: string,
  value: string | undefined,
  place: string,
  warnings: string[],
): void {
  const key = Object.keys(target).find((each) => sameName(each, name));
  const current = key === undefined ? undefined : target[key];
  if (key === undefined || current === undefined) {
    warnings.push(`can't store data at ${place}`);
  } else if (typeof current === "object") {
    target[key] = value === undefined ? [] : [...current, value];
  } else if (value === undefined) {
    if (typeof current !== "boolean") {
      throw new GcfgError(`blank value not supported for type at ${place}`);
    }
    target[key] = true;
  } else {
    target[key] = parseSetting(current, value, place);
  }
}

function parseSetting(current: string | boolean | number, value: string, place: string): Setting {
  if (typeof current === "string") return value;
  return typeof current === "boolean" ? parseBoolean(value, place) : parseInteger(value, place);
}

function parseBoolean(value: string, place: string): boolean {
  const lower = value.toLowerCase();
  if (["true", "yes", "on", "1"].includes(lower)) return true;
  if (["false", "no", "off", "0"].includes(lower)) return false;
  const quoted = lower.includes("`") ? goQuote(lower) : `\`${lower}\``;
  throw new GcfgError(`failed to parse bool ${quoted} at ${place}`);
}

/** A 32-bit integer, decimal or hexadecimal. */
function parseInteger(value: string, place: string): number {
  const trimmed = value.trim();
  const match = /^([+-]?)(0x[0-9a-fA-F]+|\d+)$/.exec(trimmed);
  const magnitude = Number(match?.[2] ?? "NaN");
  const result = match?.[1] === "-" ? -magnitude : magnitude;
  if (Number.isNaN(result)) {
    const extra = /^[+-]?(?:0x[0-9a-fA-F]+|\d+)\s*(\S+)/.exec(trimmed)?.[1];
    const malformed = trimmed === "" ? "EOF" : "expected integer";
    const reason = extra === undefined ? malformed : `extra characters ${goQuote(extra)}`;
    throw new GcfgError(`failed to parse ${goQuote(trimmed)} as int32: ${reason} at ${place}`);
  }
  if (result < -(2 ** 31) || result >= 2 ** 31) {
    const overflow = `integer overflow on token ${trimmed}`;
    throw new GcfgError(`failed to parse ${goQuote(trimmed)} as int32: ${overflow} at ${place}`);
  }
  return result;
}

function validateOverrides(raw: ReadonlyMap<string, RawOverride>): readonly ServiceOverride[] {
  const seen = new Set<string>();
  return [...raw].map(([number, override]) => {
    const fail = (problem: string): never => {
      throw new Error(`unable to validate custom endpoint overrides: ${problem}`);
    };
    const service = override.Service.trim();
    const region = override.Region.trim();
    if (service === "") fail(`service name is missing [Service is ""] in override ${number}`);
    if (region === "") fail(`service region is missing [Region is ""] in override ${number}`);
    if (override.URL.trim() === "") fail(`url is missing [URL is ""] in override ${number}`);
    if (override.SigningRegion.trim() === "") {
      fail(`signingRegion is missing [SigningRegion is ""] in override ${number}`);
    }
    if (seen.has(`${service}_${region}`)) {
      const where = `(${service} in ${region})`;
      fail(`duplicate entry found for service override [${number}] ${where}`);
    }
    seen.add(`${service}_${region}`);
    return {
      service,
      region,
      url: override.URL,
      signingRegion: override.SigningRegion,
      signingName: override.SigningName,
    };
  });
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
