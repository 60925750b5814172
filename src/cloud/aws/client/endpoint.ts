import type { AwsService } from "./operation.ts";

/** Where a service is reached, and the names in signatures to it. */
export interface Endpoint {
  readonly url: URL;
  readonly signingName: string;
  readonly signingRegion: string;
}

/** One [ServiceOverride] block of the cloud-config file. */
export interface ServiceOverride {
  /** The service's id: "EC2", "Elastic Load Balancing v2". */
  readonly service: string;
  readonly region: string;
  readonly url: string;
  readonly signingRegion: string;
  readonly signingName: string;
}

/** DNS suffixes of AWS' partitions by the start of their regions: ordinary and of dual-stack endpoints. */
const partitions: readonly (readonly [start: string, suffix: string, dualStack: string])[] = [
  ["cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"],
  ["us-isob-", "sc2s.sgov.gov", "api.aws.scloud"],
  ["us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"],
  ["us-iso-", "c2s.ic.gov", "api.aws.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"],
  ["eusc-", "amazonaws.eu", "api.amazonwebservices.eu"],
  ["", "amazonaws.com", "api.aws"],
];

/** The endpoint of a service in a region: an override, one of the environment, or AWS' own. */
export function endpointOf(
  service: AwsService,
  region: string,
  overrides: readonly ServiceOverride[],
  environment: NodeJS.ProcessEnv,
): Endpoint {
  const override = overrides.find((each) => each.service === service.id && each.region === region);
  if (override) {
    return {
      url: parseUrl(override.url),
      signingName: override.signingName || service.prefix,
      signingRegion: override.signingRegion || region,
    };
  }
  const url = urlFromEnvironment(service, environment) ?? defaultUrl(service, region, environment);
  return { url: parseUrl(url), signingName: service.prefix, signingRegion: region };
}

function urlFromEnvironment(service: AwsService, environment: NodeJS.ProcessEnv) {
  if (isTrue(environment["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"])) return undefined;
  const own = `AWS_ENDPOINT_URL_${service.id.toUpperCase().replaceAll(" ", "_")}`;
  return environment[own] || environment["AWS_ENDPOINT_URL"] || undefined;
}

function defaultUrl(service: AwsService, region: string, environment: NodeJS.ProcessEnv): string {
  const isDualStack = isTrue(environment["AWS_USE_DUALSTACK_ENDPOINT"]);
  const fips = isTrue(environment["AWS_USE_FIPS_ENDPOINT"]) ? "-fips" : "";
  const found = partitions.find(([start]) => region.startsWith(start));
  const suffix = found?.[isDualStack ? 2 : 1];
  return `https://${service.prefix}${fips}.${region}.${suffix}`;
}

function isTrue(value: string | undefined): boolean {
  return value?.toLowerCase() === "true";
}

function parseUrl(source: string): URL {
  const url = URL.parse(source);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new SyntaxError(`could not parse override URL, ${JSON.stringify(source)}`);
  }
  return url;
}
