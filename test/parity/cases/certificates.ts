import type { Area, Case } from "../case.ts";
import { createEach, objectOf } from "./create-each.ts";
import { create, merge, read, update } from "./steps.ts";

/** Created once with openssl; the keys were deleted. */
export const request = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIHFMG4CAQAwDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA",
  "BLxBTR0hN8rlZMM9a1Js/LZ/+NzS0Ykqaq20aBYYpGA8APGGlMcMiLsYSP8P8uHe",
  "7US0eajoMY8veZZYCcPZ9WOgADAKBggqhkjOPQQDAgNHADBEAiAlJpTN9FYbnjtQ",
  "E/YS8Q4nTKghS5YIn3f+Jg0nlhH1UQIgYyU9SazP3BGzygGi2xUmBXBFwDAEX6Wc",
  "Oy/M8CNVrDM=",
  "-----END CERTIFICATE REQUEST-----",
].join("\n");
export const authority = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBMDCB46ADAgECAhRM1NScDrJuEK+297rLHjM9jQbFKjAFBgMrZXAwDTELMAkG",
  "A1UEAwwCY2EwIBcNMjYxMTE1MjI1MzU3WhgPMjEyNjEwMjIyMjUzNTdaMA0xCzAJ",
  "BgNVBAMMAmNhMCowBQYDK2VwAyEAqNcJmPJinWnKviYiyRvzRo3aT2Fnx+hfzPHN",
  "ZHqRx2qjUzBRMB0GA1UdDgQWBBQBbEavpTY8R1tf5pp20ONYennnozAfBgNVHSME",
  "GDAWgBQBbEavpTY8R1tf5pp20ONYennnozAPBgNVHRMBAf8EBTADAQH/MAUGAytl",
  "cANBAPCxeJi5k17KQUzq/hD4tOQ2QWskIW3JpiZPwimthQAhIvylRNpZke7r0uJp",
  "3+/V5FeG7dCVXSpBUbqj/6rHMAs=",
  "-----END CERTIFICATE-----",
].join("\n");
export const leaf = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBLjCB4aADAgECAhRqOylBtmQb1bmTzFccw3wOpOjEoDAFBgMrZXAwDzENMAsG",
  "A1UEAwwEbGVhZjAgFw0yNjExMTUyMjUzNTdaGA8yMTI2MTAyMjIyNTM1N1owDzEN",
  "MAsGA1UEAwwEbGVhZjAqMAUGAytlcAMhAKr5dWxT8pZCMneDcSQmc75q2z4TjPFZ",
  "GMPmKAbMr4ZUo00wSzAdBgNVHQ4EFgQU+7q1mwvLhWEW3bAWisA+b0EiXBgwHwYD",
  "VR0jBBgwFoAU+7q1mwvLhWEW3bAWisA+b0EiXBgwCQYDVR0TBAIwADAFBgMrZXAD",
  "QQC7dE5dZRgNIjCGnbZZa/LEW48EzVpHZC8DfXD3upTdnywj7aPmoKmw4PJIaIGb",
  "qmDlY68cYC3VKco5TpEY+KEM",
  "-----END CERTIFICATE-----",
].join("\n");
const stub = [
  "MH8wMwIBADAAMCowBQYDK2VwAyEAHVyOrF3KXsObw3DLnxfSb02ZRnuiqAxul+mDD0goLjygADAF",
  "BgMrZXADQQCgc0NpNfQXUeeUcUQml2PZ22Rzdja987VhVgIWkm/VlGqYaNutLJSpj2I7Ej1qNxpd",
  "IRd9xWDmw0cJhN1EZjIC",
].join("");
const smallStub = [
  "MIICRTCCAS0CAQAwADCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAJkVtZmpfsNYq0Mt",
  "99OYXqqYZbAzYjBbCtsRYSwNEcAH7JGWQxGmWZEMoPDz/MOtOoYqQjo/dvzmpXDjQnRJlzsGLh3s",
  "QfWrTJcjA7liAJ7dbpEVPxZgOYOG+kAW25MYkLr/Rk8PeZgCi+lsWpxqju64nmkyB5pcsrIDQ8xQ",
  "oet6hqlSwW/Wa+60HIvSE/5606XDzt+iSze+b3GHpbk0+UttGOOBtUHOKjMyQQF5ejw6SF7AbRrf",
  "nXw5Z5kvV6T0M8WnizC0td4gXk3fRbLbaVrkJXb/tYnuysaU0RVRCX3m1MwA2vUeesqia0/Vqynr",
  "ZOKK/VvpjOBJg6ltxuiGna8CAwEAAaAAMA0GCSqGSIb3DQEBCwUAA4IBAQAlQoMScEoafPszJH21",
  "Ne7VdbV0yzYy268MCOCSHWcDElHU2+kksPa1w//2I1fkdEYQ/YxvlQNp2kFjdduzoiUfP86zQEhQ",
  "8H2VGn0Vam3hNTzKfgXum00FESh+fACLXnBhz5KhmynzezhemScaos/lwZPx/KgheqNw/iNVWjOZ",
  "K48TftwZt5wBT+Iu6BNn4vvJSGMGv9ApUbK3aaaLN7ddOXUFedqzo7WUD7Z+sIb2hhooH8hqKUrx",
  "E16Ct33VfxBzwF3RkxU88NL9LfpYiOpY82E/rHPzqOq4KP3bAridcWwUwQuetxaDB4TzYcodemhT",
  "uLVkXQzTG7bB7egAuHkk",
].join("");

const group = "/apis/certificates.k8s.io/v1";
const requests = `${group}/certificatesigningrequests`;
const bundles = `${group}/clustertrustbundles`;
const podRequests = `${group}/namespaces/{ns}/podcertificaterequests`;
const apiVersion = "certificates.k8s.io/v1";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const csr = (spec: object, content: object = {}): object =>
  objectOf(apiVersion, "CertificateSigningRequest", { spec, ...content }, { name: "{ns}" });
const good = { request: base64(request), signerName: "example.com/a", usages: ["client auth"] };
const bundle = (spec: object, name = "{ns}"): object =>
  objectOf(apiVersion, "ClusterTrustBundle", { spec }, { name });
const podRequest = (spec: object): object =>
  objectOf(apiVersion, "PodCertificateRequest", { spec }, { name: "a" });
const goodPod = {
  signerName: "example.com/a",
  podName: "a",
  podUID: "1",
  serviceAccountName: "b",
  serviceAccountUID: "2",
  nodeName: "c",
  nodeUID: "3",
  stubPKCS10Request: stub,
};
const table = (path: string) => ({
  ...read(path),
  headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
});
const condition = (type: string, status = "True", more: object = {}): object => ({
  type,
  status,
  reason: "Because",
  message: "it is so",
  ...more,
});

const requestCases: Case[] = [
  ...createEach(requests, {
    "request: plain": csr(good),
    "request: with user and status": csr(
      { ...good, username: "x", uid: "y", groups: ["z"], extra: { a: ["b"] } },
      { status: { conditions: [condition("Approved")] } },
    ),
    "request: empty": csr({}),
    "request: no PEM": csr({ ...good, request: base64("x") }),
    "request: other PEM": csr({ ...good, request: base64(authority) }),
    "request: usages": csr({ ...good, usages: ["a", "client auth", "client auth"] }),
    "request: legacy signer": csr({ ...good, signerName: "kubernetes.io/legacy-unknown" }),
    "request: bad signer": csr({ ...good, signerName: "example/a_b" }),
    "request: signer of three parts": csr({ ...good, signerName: "example.com/a/b" }),
    "request: short": csr({ ...good, expirationSeconds: 599 }),
    "request: bad signature": csr({
      ...good,
      request: base64(request.replace("VrDM=", "VrDN=")),
    }),
  }),
  {
    name: "request: life",
    steps: [
      create(requests, csr({ ...good, expirationSeconds: 7200 })),
      merge(`${requests}/{ns}`, { spec: { signerName: "example.com/b" } }),
      merge(`${requests}/{ns}/status`, { status: { conditions: [condition("Approved")] } }),
      merge(`${requests}/{ns}/approval`, { status: { certificate: base64(leaf) } }),
      merge(`${requests}/{ns}/approval`, {
        status: { conditions: [condition("Approved", "False"), condition("Denied"), {}] },
      }),
      merge(`${requests}/{ns}/approval`, {
        status: {
          conditions: [
            condition("Approved", "True", {
              lastUpdateTime: "2026-01-01T00:00:00Z",
              lastTransitionTime: "2026-01-01T00:00:00Z",
            }),
          ],
        },
      }),
      merge(`${requests}/{ns}/approval`, { status: { conditions: [] } }),
      merge(`${requests}/{ns}/status`, { status: { certificate: base64("x") } }),
      merge(`${requests}/{ns}/status`, { status: { certificate: base64(stub) } }),
      merge(`${requests}/{ns}/status`, { status: { certificate: base64(leaf) } }),
      merge(`${requests}/{ns}/status`, { status: { certificate: base64(authority) } }),
      table(`${requests}/{ns}`),
      read(`${requests}?fieldSelector=spec.username%3Dx`),
      { method: "DELETE", path: `${requests}/{ns}` },
    ],
  },
];

const bundleCases: Case[] = [
  ...createEach(bundles, {
    "bundle: plain": bundle({ trustBundle: authority }),
    "bundle: empty": bundle({}),
    "bundle: leaf": bundle({ trustBundle: leaf }),
    "bundle: twice": bundle({ trustBundle: `${authority}\n${authority}` }),
    "bundle: request": bundle({ trustBundle: request }),
    "bundle: headers": bundle({
      trustBundle: authority.replace("-----\n", "-----\na: b\n\n"),
    }),
    "bundle: signer": bundle(
      { signerName: "example.com/a", trustBundle: authority },
      "example.com:a:{ns}",
    ),
    "bundle: other signer": bundle({ signerName: "example.com/a", trustBundle: authority }),
    "bundle: colon": bundle({ trustBundle: authority }, "a:{ns}"),
  }),
  {
    name: "bundle: life",
    steps: [
      create(bundles, bundle({ trustBundle: authority })),
      update(`${bundles}/{ns}`, bundle({ trustBundle: authority })),
      merge(`${bundles}/{ns}`, { spec: { signerName: "example.com/a" } }),
      merge(`${bundles}/{ns}`, { spec: { trustBundle: "" } }),
      table(`${bundles}/{ns}`),
    ],
  },
];

const podRequestCases: Case[] = [
  ...createEach(podRequests, {
    "pod request: plain": podRequest(goodPod),
    "pod request: empty": podRequest({}),
    "pod request: names": podRequest({ ...goodPod, podName: "A", nodeName: "B", signerName: "c" }),
    "pod request: short": podRequest({ ...goodPod, maxExpirationSeconds: 60 }),
    "pod request: of Kubernetes": podRequest({
      ...goodPod,
      signerName: "kubernetes.io/a",
      maxExpirationSeconds: 86401,
    }),
    "pod request: no key": podRequest({ ...goodPod, stubPKCS10Request: undefined }),
    "pod request: small key": podRequest({ ...goodPod, stubPKCS10Request: smallStub }),
    "pod request: no request": podRequest({ ...goodPod, stubPKCS10Request: base64("x") }),
    "pod request: annotations": podRequest({ ...goodPod, unverifiedUserAnnotations: { a: "b" } }),
  }),
  {
    name: "pod request: life",
    steps: [
      create(podRequests, podRequest(goodPod)),
      merge(`${podRequests}/a`, { spec: { podName: "x" } }),
      merge(`${podRequests}/a/status`, { status: { certificateChain: leaf } }),
      merge(`${podRequests}/a/status`, {
        status: { conditions: [condition("Ready"), condition("Issued", "False")] },
      }),
      merge(`${podRequests}/a/status`, {
        status: {
          certificateChain: leaf,
          conditions: [condition("Issued", "True", { lastTransitionTime: "2026-01-01T00:00:00Z" })],
        },
      }),
      merge(`${podRequests}/a/status`, {
        status: {
          conditions: [condition("Denied", "True", { lastTransitionTime: "2026-01-01T00:00:00Z" })],
        },
      }),
      merge(`${podRequests}/a/status`, { status: { conditions: [] } }),
      table(`${podRequests}/a`),
    ],
  },
];

/** Requests for certificates, and trust bundles. */
export const certificatesArea: Area = {
  name: "certificates",
  cases: [...requestCases, ...bundleCases, ...podRequestCases],
};
