/** The operations of the Security Token Service that are used. */
import { operationsOf, sts } from "./operation.ts";
import { struct, text } from "./shape.ts";

const declare = operationsOf(sts);

const assumed = struct({
  Credentials: struct({
    AccessKeyId: text,
    SecretAccessKey: text,
    SessionToken: text,
    Expiration: text,
  }),
});

interface AssumeParams {
  readonly RoleArn: string;
  readonly RoleSessionName: string;
  readonly DurationSeconds?: number;
}

export const assumeRole = declare<
  AssumeParams & { readonly ExternalId?: string; readonly SourceIdentity?: string }
>()("AssumeRole", assumed, [
  "MalformedPolicyDocument",
  "PackedPolicyTooLarge",
  "RegionDisabledException",
  "ExpiredTokenException",
]);

export const assumeRoleWithWebIdentity = declare<
  AssumeParams & { readonly WebIdentityToken: string }
>()("AssumeRoleWithWebIdentity", assumed, [
  "MalformedPolicyDocument",
  "PackedPolicyTooLarge",
  "IDPRejectedClaim",
  "IDPCommunicationError",
  "InvalidIdentityToken",
  "ExpiredTokenException",
  "RegionDisabledException",
]);
