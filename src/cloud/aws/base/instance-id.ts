/** Upstream: cloud-provider-aws pkg/providers/v1/instances.go. */

/** Start of the ids of Fargate's machines, which EC2 does not list. */
export const fargatePrefix = "fargate-";

export const isFargate = (instanceId: string): boolean => instanceId.startsWith(fargatePrefix);

/** The id in a Node's provider id ("aws:///eu-central-1a/i-0123"), or the id itself. Throws if it has another form. */
export function parseProviderId(providerId: string): string {
  const source = providerId.startsWith("aws://") ? providerId : `aws:///${providerId}`;
  if (!URL.canParse(source)) {
    throw new Error(`Invalid instance name (${providerId}): parse ${JSON.stringify(source)}`);
  }
  const path = source
    .slice("aws://".length)
    .replace(/^[^/?#]*/, "")
    .replace(/[?#].*$/, "");
  const id =
    path
      .replace(/^\/+|\/+$/g, "")
      .split("/")
      .at(-1) ?? "";
  if (!/^i-[^/]*$/.test(id) && !isFargate(id)) {
    throw new Error(`Invalid format for AWS instance (${providerId})`);
  }
  return id;
}
