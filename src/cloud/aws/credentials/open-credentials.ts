/** Upstream: aws-sdk-go-v2 config, credentials; cloud-provider-aws pkg/services/aws_sts.go. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Logger } from "#/std/log/log.ts";
import type { AwsKeys } from "#/std/net/aws-signature.ts";
import { runProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { CallMetrics } from "../client/aws-client.ts";
import { createAwsClient } from "../client/aws-client.ts";
import { endpointOf } from "../client/endpoint.ts";
import type { ResultOf } from "../client/operation.ts";
import type { Send } from "../client/send.ts";
import { assumeRole, assumeRoleWithWebIdentity } from "../client/sts-operations.ts";
import { containerCredentials } from "./container-credentials.ts";
import {
  type CredentialSource,
  type Credentials,
  keepCredentials,
  parseCredentials,
} from "./credentials.ts";
import type { InstanceMetadataService } from "./imds.ts";
import { type CredentialPlan, planCredentials, profileOfEnvironment } from "./plan-credentials.ts";
import { mergeProfiles, type Profile, parseProfiles } from "./shared-files.ts";

/** Life of an assumed role (s), as the SDK's default. */
const assumedSeconds = 900;

/** Time limit of credential_process (ms). */
const processTimeoutMs = 60_000;

interface CredentialsOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly imds: InstanceMetadataService;
  /** Region of STS. */
  readonly region: string;
  readonly send: Send;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts refreshes, when the provider stops. */
  readonly signal: AbortSignal;
  readonly metrics?: CallMetrics;
  /** RoleARN and SourceARN of the cloud-config file; empty if they are not set. */
  readonly roleArn: string;
  readonly sourceArn: string;
}

type Keys = (signal: AbortSignal) => Promise<AwsKeys>;

/** The keys of all calls. They are obtained at the first use. Rejects if the settings are invalid. */
export async function openCredentials(options: CredentialsOptions): Promise<Keys> {
  const { environment, roleArn, sourceArn, log } = options;
  const plan = planCredentials(environment, await readProfiles(environment));
  const keys = keepCredentials(sourceOf(plan, options), options);
  if (roleArn === "") return keys;
  log.info("use assumed role of AWS", { roleArn });
  const account = accountOf(roleArn);
  const headers = {
    "x-amz-source-account": account,
    ...(sourceArn ? { "x-amz-source-arn": sourceArn } : {}),
  };
  const role = { roleArn, sessionName: "", externalId: "" };
  return keepCredentials(roleSource(role, keys, options, headers), options);
}

/** The profiles of the two shared files. Files that do not exist count as empty, unless they were named. */
async function readProfiles(environment: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, Profile>> {
  const read = async (named: string | undefined, fallback: string): Promise<string> => {
    const path = named || join(environment["HOME"] || homedir(), ".aws", fallback);
    return await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return "";
      throw error;
    });
  };
  const config = await read(environment["AWS_CONFIG_FILE"], "config");
  const credentials = await read(environment["AWS_SHARED_CREDENTIALS_FILE"], "credentials");
  return mergeProfiles(parseProfiles(config, false), parseProfiles(credentials, true));
}

/** The region that environment and profile name; empty if they don't. */
export async function findConfiguredRegion(environment: NodeJS.ProcessEnv): Promise<string> {
  const ofEnvironment = environment["AWS_REGION"] || environment["AWS_DEFAULT_REGION"];
  if (ofEnvironment) return ofEnvironment;
  const profiles = await readProfiles(environment);
  return profiles.get(profileOfEnvironment(environment) || "default")?.get("region") ?? "";
}

function sourceOf(plan: CredentialPlan, options: CredentialsOptions): CredentialSource {
  switch (plan.kind) {
    case "keys":
      return async () => plan.keys;
    case "instance":
      return (signal) => options.imds.credentials(signal);
    case "container":
      return (signal) => containerCredentials(plan, options.send, signal);
    case "process":
      return (signal) => processCredentials(plan.command, signal);
    case "web-identity":
      return webIdentitySource(plan, options);
    case "role":
      return roleSource(plan, keepCredentials(sourceOf(plan.source, options), options), options);
  }
}

/** Runs the command in a shell, as the SDK does. */
async function processCredentials(command: string, signal: AbortSignal): Promise<Credentials> {
  const output = await runProgram("sh", ["-c", command], "", {
    timeoutMs: processTimeoutMs,
    signal,
  });
  return parseCredentials(output, "credential_process");
}

interface RoleOptions {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly externalId: string;
  readonly durationSeconds?: number;
}

function roleSource(
  role: RoleOptions,
  keys: Keys,
  options: CredentialsOptions,
  headers: Readonly<Record<string, string>> = {},
): CredentialSource {
  const client = stsClient(keys, options, headers);
  return async (signal) => {
    const result = await client.call(
      assumeRole,
      {
        RoleArn: role.roleArn,
        RoleSessionName: role.sessionName || sessionName(options.clock),
        DurationSeconds: role.durationSeconds ?? assumedSeconds,
        ...(role.externalId ? { ExternalId: role.externalId } : {}),
      },
      signal,
    );
    return credentialsOf(result);
  };
}

function webIdentitySource(
  plan: CredentialPlan & { readonly kind: "web-identity" },
  options: CredentialsOptions,
): CredentialSource {
  const client = stsClient(undefined, options, {});
  return async (signal) => {
    const token = await readFile(plan.tokenFile, "utf8").catch((error: Error) => {
      throw new Error(
        `failed to retrieve jwt from provide source, unable to read file at ${plan.tokenFile}: ${error.message}`,
        { cause: error },
      );
    });
    const result = await client.call(
      assumeRoleWithWebIdentity,
      {
        RoleArn: plan.roleArn,
        RoleSessionName: plan.sessionName || sessionName(options.clock),
        WebIdentityToken: token,
      },
      signal,
    );
    return credentialsOf(result);
  };
}

function stsClient(
  keys: Keys | undefined,
  options: CredentialsOptions,
  headers: Readonly<Record<string, string>>,
) {
  const { send, clock, log, region, environment, metrics } = options;
  return createAwsClient({
    keys,
    endpoint: (service) => endpointOf(service, region, [], environment),
    send,
    clock,
    log,
    headers,
    ...(metrics ? { metrics } : {}),
  });
}

function credentialsOf({ Credentials: given }: ResultOf<typeof assumeRole>): Credentials {
  const expiresAtMs = Date.parse(given?.Expiration ?? "");
  if (!given?.AccessKeyId || !given.SecretAccessKey || Number.isNaN(expiresAtMs)) {
    throw new Error("STS answered without credentials");
  }
  return {
    accessKeyId: given.AccessKeyId,
    secretAccessKey: given.SecretAccessKey,
    ...(given.SessionToken ? { sessionToken: given.SessionToken } : {}),
    expiresAtMs,
  };
}

const sessionName = (clock: Clock): string => `k8ts-${clock.now()}`;

/** The account in arn:aws:iam::123456789012:role/x. */
function accountOf(arn: string): string {
  const sections = arn.split(":");
  if (sections[0] !== "arn") throw new Error("unable to create sts v2 client: arn: invalid prefix");
  if (sections.length < 6)
    throw new Error("unable to create sts v2 client: arn: not enough sections");
  return sections[4] ?? "";
}
