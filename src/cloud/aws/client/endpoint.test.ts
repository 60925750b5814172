import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointOf } from "./endpoint.ts";
import { ec2, elbv2 } from "./operation.ts";

const override = {
  service: "EC2",
  region: "us-west-2",
  url: "http://127.0.0.1:5000/x",
  signingRegion: "sr",
  signingName: "",
};

const cases = [
  { name: "AWS' own", url: "https://ec2.us-west-2.amazonaws.com/" },
  { name: "China", region: "cn-north-1", url: "https://ec2.cn-north-1.amazonaws.com.cn/" },
  {
    name: "an isolated partition",
    region: "us-isob-east-1",
    url: "https://ec2.us-isob-east-1.sc2s.sgov.gov/",
  },
  {
    name: "dual stack",
    environment: { AWS_USE_DUALSTACK_ENDPOINT: "true" },
    url: "https://ec2.us-west-2.api.aws/",
  },
  {
    name: "FIPS",
    environment: { AWS_USE_FIPS_ENDPOINT: "TRUE" },
    url: "https://ec2-fips.us-west-2.amazonaws.com/",
  },
  { name: "the environment", environment: { AWS_ENDPOINT_URL: "http://h:1" }, url: "http://h:1/" },
  {
    name: "the environment of the service",
    service: elbv2,
    environment: {
      AWS_ENDPOINT_URL: "http://h:1",
      AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: "http://h:2",
    },
    url: "http://h:2/",
  },
  {
    name: "an environment to be ignored",
    environment: { AWS_ENDPOINT_URL: "http://h:1", AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true" },
    url: "https://ec2.us-west-2.amazonaws.com/",
  },
];

for (const { name, service = ec2, region = "us-west-2", environment = {}, url } of cases) {
  test(`endpointOf() is that of ${name}`, () => {
    assert.equal(endpointOf(service, region, [], environment).url.href, url);
  });
}

test("endpointOf() takes an override of the service and region only", () => {
  const found = endpointOf(ec2, "us-west-2", [override], { AWS_ENDPOINT_URL: "http://h:1" });
  assert.deepEqual(
    [found.url.href, found.signingName, found.signingRegion],
    ["http://127.0.0.1:5000/x", "ec2", "sr"],
  );
  assert.equal(endpointOf(elbv2, "us-west-2", [override], {}).signingRegion, "us-west-2");
  assert.match(endpointOf(ec2, "eu-west-1", [override], {}).url.href, /amazonaws/);
});

test("endpointOf() refuses what is not a URL", () => {
  assert.throws(() => endpointOf(ec2, "us-west-2", [{ ...override, url: "127.0.0.1" }], {}), {
    message: 'could not parse override URL, "127.0.0.1"',
  });
});
