import assert from "node:assert/strict";
import { test } from "node:test";
import { planCredentials } from "./plan-credentials.ts";
import { mergeProfiles, parseProfiles } from "./shared-files.ts";

const config = `
# comment
[default]
region = us-west-2
[profile assumed]
role_arn = arn:aws:iam::1:role/a ; comment
source_profile = base
external_id = e
role_session_name = s
duration_seconds = 1800
[profile "quoted name"]
credential_process = /bin/creds --x "y z"
[profile own]
role_arn = arn:aws:iam::1:role/o
source_profile = own
[profile web]
role_arn = arn:aws:iam::1:role/w
web_identity_token_file = /token
[profile machine]
role_arn = arn:aws:iam::1:role/m
credential_source = Ec2InstanceMetadata
[profile container]
role_arn = arn:aws:iam::1:role/c
credential_source = EcsContainer
[profile bad-source]
role_arn = arn:aws:iam::1:role/c
credential_source = Other
[profile sso]
sso_session = x
[profile mfa]
role_arn = arn:aws:iam::1:role/f
source_profile = base
mfa_serial = 1
[profile loop-a]
role_arn = a
source_profile = loop-b
[profile loop-b]
role_arn = b
source_profile = loop-a
[profile orphan]
role_arn = b
source_profile = none
[profile base]
aws_access_key_id = overridden
s3 =
  nested = 1
`;
const credentials = `
[base]
aws_access_key_id = AK
aws_secret_access_key = SK
[own]
aws_access_key_id=OK
aws_secret_access_key=OS
aws_session_token=OT
`;
const profiles = mergeProfiles(parseProfiles(config, false), parseProfiles(credentials, true));

const baseKeys = { kind: "keys", keys: { accessKeyId: "AK", secretAccessKey: "SK" } };
const role = { sessionName: "", externalId: "" };

const plans = [
  {
    name: "keys of the environment before all",
    environment: {
      AWS_ACCESS_KEY_ID: "A",
      AWS_SECRET_ACCESS_KEY: "S",
      AWS_SESSION_TOKEN: "T",
      AWS_PROFILE: "base",
      AWS_WEB_IDENTITY_TOKEN_FILE: "/t",
    },
    plan: { kind: "keys", keys: { accessKeyId: "A", secretAccessKey: "S", sessionToken: "T" } },
  },
  {
    name: "the older names of keys",
    environment: { AWS_ACCESS_KEY: "A", AWS_SECRET_KEY: "S" },
    plan: { kind: "keys", keys: { accessKeyId: "A", secretAccessKey: "S" } },
  },
  {
    name: "web identity before a profile",
    environment: { AWS_WEB_IDENTITY_TOKEN_FILE: "/t", AWS_ROLE_ARN: "r", AWS_PROFILE: "base" },
    plan: { kind: "web-identity", tokenFile: "/t", roleArn: "r", sessionName: "" },
  },
  { name: "a profile", environment: { AWS_PROFILE: "base" }, plan: baseKeys },
  { name: "the older variable", environment: { AWS_DEFAULT_PROFILE: "base" }, plan: baseKeys },
  {
    name: "a role of another profile",
    environment: { AWS_PROFILE: "assumed" },
    plan: {
      kind: "role",
      source: baseKeys,
      roleArn: "arn:aws:iam::1:role/a",
      externalId: "e",
      sessionName: "s",
      durationSeconds: 1800,
    },
  },
  {
    name: "a role with the profile's own keys",
    environment: { AWS_PROFILE: "own" },
    plan: {
      kind: "role",
      source: {
        kind: "keys",
        keys: { accessKeyId: "OK", secretAccessKey: "OS", sessionToken: "OT" },
      },
      roleArn: "arn:aws:iam::1:role/o",
      ...role,
    },
  },
  {
    name: "a program",
    environment: { AWS_PROFILE: "quoted name" },
    plan: { kind: "process", command: '/bin/creds --x "y z"' },
  },
  {
    name: "web identity of a profile",
    environment: { AWS_PROFILE: "web" },
    plan: {
      kind: "web-identity",
      tokenFile: "/token",
      roleArn: "arn:aws:iam::1:role/w",
      sessionName: "",
    },
  },
  {
    name: "a role with the machine's",
    environment: { AWS_PROFILE: "machine" },
    plan: {
      kind: "role",
      source: { kind: "instance" },
      roleArn: "arn:aws:iam::1:role/m",
      ...role,
    },
  },
  {
    name: "a container's relative path",
    environment: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/x" },
    plan: { kind: "container", url: "http://169.254.170.2/v2/x", token: "", tokenFile: "" },
  },
  {
    name: "EKS Pod Identity",
    environment: {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://169.254.170.23/v1/credentials",
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/token",
    },
    plan: {
      kind: "container",
      url: "http://169.254.170.23/v1/credentials",
      token: "",
      tokenFile: "/token",
    },
  },
  { name: "the machine's role without settings", environment: {}, plan: { kind: "instance" } },
];

for (const { name, environment, plan } of plans) {
  test(`planCredentials() chooses ${name}`, () => {
    assert.deepEqual(planCredentials(environment, profiles), plan);
  });
}

const failures = [
  { profile: "missing", message: "failed to get shared config profile, missing" },
  { profile: "orphan", message: "failed to get shared config profile, none" },
  { profile: "loop-a", message: "source_profile of profile loop-a leads back to it" },
  {
    profile: "mfa",
    message: "assume role with MFA enabled, but AssumeRoleTokenProvider session option not set.",
  },
  {
    profile: "bad-source",
    message: "credential_source values must be EcsContainer, Ec2InstanceMetadata, or Environment",
  },
  {
    profile: "container",
    message:
      "EcsContainer was specified as the credential_source, but 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI' or AWS_CONTAINER_CREDENTIALS_FULL_URI' was not set",
  },
  {
    profile: "sso",
    message:
      "profile sso uses IAM Identity Center (sso_*), which needs a person to log in; use a role, web identity or credential_process",
  },
];

for (const { profile, message } of failures) {
  test(`planCredentials() refuses profile ${profile}`, () => {
    assert.throws(() => planCredentials({ AWS_PROFILE: profile }, profiles), { message });
  });
}

test("planCredentials() refuses web identity without a role", () => {
  const environment = { AWS_WEB_IDENTITY_TOKEN_FILE: "/t" };
  assert.throws(() => planCredentials(environment, profiles), { message: "role ARN is not set" });
});
