import { ec2, send } from "./seed.ts";
import { readXml, type XmlTree } from "./xml-tree.ts";

/** What AWS has at the end of a case: every load balancer with its parts, and every security group. */
export async function readFinalState(moto: string): Promise<XmlTree> {
  const classic = await readClassic(moto);
  const network = await readNetwork(moto);
  const groups = readXml(await ec2(moto, "DescribeSecurityGroups", {}));
  return withoutIds({ classic, network, groups });
}

async function readClassic(moto: string): Promise<XmlTree> {
  const call = (action: string, params: Readonly<Record<string, string>> = {}) =>
    send(moto, "elasticloadbalancing", { Action: action, Version: "2012-06-01", ...params });
  const list = await call("DescribeLoadBalancers");
  const parts: Record<string, XmlTree> = { list: readXml(list) };
  for (const name of valuesOf(list, "LoadBalancerName")) {
    const attributes = await call("DescribeLoadBalancerAttributes", { LoadBalancerName: name });
    const tags = await call("DescribeTags", { "LoadBalancerNames.member.1": name });
    const policies = await call("DescribeLoadBalancerPolicies", { LoadBalancerName: name });
    parts[name] = [attributes, tags, policies].map(readXml) as unknown as XmlTree;
  }
  return parts;
}

async function readNetwork(moto: string): Promise<XmlTree> {
  const call = (action: string, params: Readonly<Record<string, string>> = {}) =>
    send(moto, "elasticloadbalancing", { Action: action, Version: "2015-12-01", ...params });
  const list = await call("DescribeLoadBalancers");
  const groups = await call("DescribeTargetGroups");
  const parts: Record<string, XmlTree> = { list: readXml(list), groups: readXml(groups) };
  for (const arn of valuesOf(list, "LoadBalancerArn")) {
    const attributes = await call("DescribeLoadBalancerAttributes", { LoadBalancerArn: arn });
    const listeners = await call("DescribeListeners", { LoadBalancerArn: arn });
    const tags = await call("DescribeTags", { "ResourceArns.member.1": arn });
    parts[arn] = [attributes, listeners, tags].map(readXml) as unknown as XmlTree;
  }
  for (const arn of valuesOf(groups, "TargetGroupArn")) {
    const attributes = await call("DescribeTargetGroupAttributes", { TargetGroupArn: arn });
    const health = await call("DescribeTargetHealth", { TargetGroupArn: arn });
    parts[arn] = [attributes, health].map(readXml) as unknown as XmlTree;
  }
  return parts;
}

function valuesOf(text: string, tag: string): string[] {
  const found = [...text.matchAll(new RegExp(`<${tag}>([^<]+)<`, "g"))];
  return [...new Set(found.map(([, value = ""]) => value))];
}

function withoutIds(tree: XmlTree): XmlTree {
  return JSON.parse(JSON.stringify(tree), (name, value) =>
    /^(request_?id|ResponseMetadata|CreatedTime)$/i.test(name) ? undefined : value,
  );
}
