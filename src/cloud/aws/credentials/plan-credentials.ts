/** Upstream: aws-sdk-go-v2 config/resolve_credentials.go. */
import type { AwsKeys } from "#/std/net/aws-signature.ts";
import type { Profile } from "./shared-files.ts";

/** Where credentials come from. */
export type CredentialPlan =
  | { readonly kind: "keys"; readonly keys: AwsKeys }
  | { readonly kind: "instance" }
  | {
      readonly kind: "container";
      readonly url: string;
      readonly token: string;
      readonly tokenFile: string;
    }
  | { readonly kind: "process"; readonly command: string }
  | ({ readonly kind: "web-identity"; readonly tokenFile: string } & Role)
  | ({
      readonly kind: "role";
      readonly source: CredentialPlan;
      readonly externalId: string;
    } & Role);

interface Role {
  readonly roleArn: string;
  /** Empty if it is not set. */
  readonly sessionName: string;
  readonly durationSeconds?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Limit of profiles that name each other: more are a loop. */
const maxProfiles = 10;

/** The SDK's order: keys of the environment, web identity, the profile, containers, the machine's role. Throws if a setting is incomplete. */
export function planCredentials(
  environment: Environment,
  profiles: ReadonlyMap<string, Profile>,
): CredentialPlan {
  const keys = keysOfEnvironment(environment);
  if (keys) return { kind: "keys", keys };
  const tokenFile = environment["AWS_WEB_IDENTITY_TOKEN_FILE"];
  if (tokenFile) {
    const roleArn = environment["AWS_ROLE_ARN"] ?? "";
    const sessionName = environment["AWS_ROLE_SESSION_NAME"] ?? "";
    return webIdentity({ tokenFile, roleArn, sessionName });
  }
  const named = profileOfEnvironment(environment);
  const profile = profiles.get(named || "default");
  if (!profile && named) throw new Error(`failed to get shared config profile, ${named}`);
  if (!profile) return machinePlan(environment);
  return planProfile(named || "default", { environment, profiles, seen: [] });
}

/** The name of the chosen profile; empty for the default one, which need not exist. */
export function profileOfEnvironment(environment: Environment): string {
  return environment["AWS_PROFILE"] || environment["AWS_DEFAULT_PROFILE"] || "";
}

function keysOfEnvironment(environment: Environment): AwsKeys | undefined {
  const accessKeyId = environment["AWS_ACCESS_KEY_ID"] || environment["AWS_ACCESS_KEY"];
  const secretAccessKey = environment["AWS_SECRET_ACCESS_KEY"] || environment["AWS_SECRET_KEY"];
  return keysOf(accessKeyId, secretAccessKey, environment["AWS_SESSION_TOKEN"]);
}

function keysOf(
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
  sessionToken: string | undefined,
): AwsKeys | undefined {
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

interface Context {
  readonly environment: Environment;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Profiles that led here. */
  readonly seen: readonly string[];
}

function planProfile(name: string, context: Context): CredentialPlan {
  const { profiles, seen } = context;
  if (seen.length >= maxProfiles || (seen.includes(name) && seen.at(-1) !== name)) {
    throw new Error(`source_profile of profile ${name} leads back to it`);
  }
  const profile = profiles.get(name);
  if (!profile) throw new Error(`failed to get shared config profile, ${name}`);
  const roleArn = profile.get("role_arn") ?? "";
  const source = planSource(name, profile, { ...context, seen: [...seen, name] });
  if (roleArn === "" || source.kind === "web-identity") return source;
  if (profile.get("mfa_serial")) {
    throw new Error(
      "assume role with MFA enabled, but AssumeRoleTokenProvider session option not set.",
    );
  }
  const duration = Number(profile.get("duration_seconds") ?? "");
  return {
    kind: "role",
    source,
    roleArn,
    externalId: profile.get("external_id") ?? "",
    sessionName: profile.get("role_session_name") ?? "",
    ...(duration > 0 ? { durationSeconds: duration } : {}),
  };
}

/** What a profile says, apart from the role that it takes with it. */
function planSource(name: string, profile: Profile, context: Context): CredentialPlan {
  const sourceProfile = profile.get("source_profile");
  // A profile may name itself: then its own keys take the role.
  if (profile.get("role_arn") && sourceProfile && sourceProfile !== name) {
    return planProfile(sourceProfile, context);
  }
  const keys = keysOf(
    profile.get("aws_access_key_id"),
    profile.get("aws_secret_access_key"),
    profile.get("aws_session_token"),
  );
  if (keys) return { kind: "keys", keys };
  const source = profile.get("credential_source");
  if (source) return planNamedSource(source, context.environment);
  const tokenFile = profile.get("web_identity_token_file");
  if (tokenFile) {
    const roleArn = profile.get("role_arn") ?? "";
    const sessionName = profile.get("role_session_name") ?? "";
    return webIdentity({ tokenFile, roleArn, sessionName });
  }
  if (profile.get("sso_session") || profile.get("sso_start_url")) {
    throw new Error(
      `profile ${name} uses IAM Identity Center (sso_*), which needs a person to log in; use a role, web identity or credential_process`,
    );
  }
  const command = profile.get("credential_process");
  return command ? { kind: "process", command } : machinePlan(context.environment);
}

function planNamedSource(source: string, environment: Environment): CredentialPlan {
  switch (source) {
    case "Ec2InstanceMetadata":
      return { kind: "instance" };
    case "EcsContainer": {
      const container = containerPlan(environment);
      if (container) return container;
      throw new Error(
        "EcsContainer was specified as the credential_source, but 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI' or AWS_CONTAINER_CREDENTIALS_FULL_URI' was not set",
      );
    }
    case "Environment": {
      const keys = keysOfEnvironment(environment);
      if (keys) return { kind: "keys", keys };
      throw new Error(
        "credential_source is Environment, but it has no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      );
    }
    default:
      throw new Error(
        "credential_source values must be EcsContainer, Ec2InstanceMetadata, or Environment",
      );
  }
}

function webIdentity(role: Role & { readonly tokenFile: string }): CredentialPlan {
  if (role.roleArn === "") throw new Error("role ARN is not set");
  return { kind: "web-identity", ...role };
}

/** What the machine offers: the credentials of its container, or of its role. */
function machinePlan(environment: Environment): CredentialPlan {
  return containerPlan(environment) ?? { kind: "instance" };
}

function containerPlan(environment: Environment): CredentialPlan | undefined {
  const relative = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  const url = relative
    ? `http://169.254.170.2${relative}`
    : environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  if (!url) return undefined;
  return {
    kind: "container",
    url,
    token: environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"] ?? "",
    tokenFile: environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] ?? "",
  };
}
