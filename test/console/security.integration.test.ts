import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, test } from "node:test";
import { goTo, seen } from "./page-actions.ts";
import { collectProblems } from "./page-problems.ts";
import { createEvent, createNamespace, createPod, running } from "./sample-objects.ts";
import { startConsole, type TestConsole, untilStarted } from "./start-console.ts";

/** A text that runs a script wherever it is taken for HTML. */
const attack = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;

describe("the console's defences", () => {
  let opened: TestConsole;
  before(async () => {
    opened = await startConsole();
    await createNamespace(opened, "shop");
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop";
    const apiGroup = "rbac.authorization.k8s.io";
    const read = (group: string, ...resources: readonly string[]) => {
      return { apiGroups: [group], resources, verbs: ["get", "list", "watch"] };
    };
    const rules = [
      read("", "pods", "pods/log", "services", "configmaps", "events"),
      read("apps", "deployments", "replicasets"),
    ];
    await opened.create(`${rbac}/roles`, { metadata: { name: "viewer" }, rules });
    await opened.create(`${rbac}/rolebindings`, {
      metadata: { name: "alice" },
      roleRef: { apiGroup, kind: "Role", name: "viewer" },
      subjects: [{ apiGroup, kind: "User", name: "alice" }],
    });
    await createPod(opened, {
      name: "web",
      namespace: "shop",
      status: running("2026-01-01T00:00:00Z"),
    });
  });
  after(() => opened[Symbol.asyncDispose]());

  test("a link works once, its cookie is kept from scripts and other sites", async () => {
    const admin = await opened.consoleFor("admin");
    const { port } = admin;
    const link = new URL(admin.newLink());
    const first = await send(port, `${link.pathname}${link.search}`);
    assert.equal(first.status, 303);
    assert.equal(first.headers["location"], "/console/");
    assert.match(String(first.headers["set-cookie"]), /; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.equal((await send(port, `${link.pathname}${link.search}`)).status, 403);
    assert.equal((await send(port, "/console/open?ticket=")).status, 403);
  });

  test("the API is refused without session, from other origins, names and forms", async () => {
    const admin = await opened.consoleFor("admin");
    const { port } = admin;
    const link = new URL(admin.newLink());
    const { headers } = await send(port, `${link.pathname}${link.search}`);
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
    const own = { cookie, "x-k8ts-console": "1", origin: `http://127.0.0.1:${port}` };
    const path = "/api/v1/namespaces";
    const cases: readonly (readonly [string, Record<string, string>, number])[] = [
      ["the page's own request", own, 200],
      ["another program of the machine", {}, 401],
      ["a guessed session", { ...own, cookie: `${cookie}x` }, 401],
      ["another site's request with the cookie", { ...own, origin: "https://evil.example" }, 403],
      ["a form", { cookie }, 403],
      ["a name bound again to this address", { ...own, host: "evil.example" }, 403],
    ];
    for (const [name, given, status] of cases) {
      assert.equal((await send(port, path, given)).status, status, name);
    }
  });

  test("the page permits no script but its own, and no frame around it", async () => {
    const { port } = await opened.consoleFor("admin");
    const { headers } = await send(port, "/console/");
    const policy = String(headers["content-security-policy"]);
    assert.match(
      policy,
      /^default-src 'self'; script-src 'self' 'sha256-[\w+/=]+'; object-src 'none'; base-uri 'none'/,
    );
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(headers["x-frame-options"], "DENY");
    assert.equal(headers["x-content-type-options"], "nosniff");
    const page = await opened.browser.newPage();
    await page.setContent(`<iframe src="http://127.0.0.1:${port}/console/"></iframe>`);
    await page.waitForLoadState("networkidle");
    const framed = page.frames().filter((frame) => frame.url().endsWith("/console/"));
    for (const frame of framed) assert.equal(await frame.locator("#app").count(), 0);
    await page.close();
  });

  test("files outside of the console's own are not served", async () => {
    const { port } = await opened.consoleFor("admin");
    const { text } = await send(port, "/console/");
    const [folder] = /v\/[\w-]+/.exec(text) ?? [];
    for (const path of [
      "package.json",
      "src/apiserver/run.ts",
      "../../../../etc/passwd",
      "%2e%2e/%2e%2e/package.json",
    ]) {
      assert.ok([401, 404].includes((await send(port, `/console/${folder}/${path}`)).status), path);
    }
    const entry = await send(port, `/console/${folder}/src/console/app/main.ts`);
    assert.equal(entry.headers["cache-control"], "public, max-age=31536000, immutable");
  });

  test("texts of others are shown as they are, and run nothing", async () => {
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles";
    const name = `<img src=x onerror=window.hacked=1>`;
    await opened.create(roles, { metadata: { name, annotations: { note: attack } }, rules: [] });
    await opened.create("/api/v1/namespaces/shop/configmaps", {
      metadata: { name: "attack", annotations: { note: attack } },
      data: { text: attack },
    });
    await createEvent(opened, {
      name: "e1",
      namespace: "shop",
      about: "web",
      type: "Warning",
      reason: attack.slice(0, 100),
      message: attack,
    });
    const page = await opened.openAs("admin");
    const problems = collectProblems(page);
    await goTo(page, "#/now?ns=shop");
    await seen(page, ".feed", "onerror");
    for (const hash of ["#/list/roles.rbac.authorization.k8s.io", "#/list/events", "#/kinds"]) {
      await goTo(page, hash);
      await page.waitForSelector(".page");
    }
    await goTo(page, "#/list/roles.rbac.authorization.k8s.io?ns=shop");
    await page.click(".table-view .name a");
    await seen(page, "h1", name);
    for (const tab of ["overview", "yaml", "events", "related", "why", "journey"]) {
      await goTo(page, `#/object/configmaps/shop/attack/${tab}`);
      await page.waitForSelector(".tab-content");
      await goTo(page, `#/object/pods/shop/web/${tab}`);
      await page.waitForSelector(".tab-content");
    }
    await goTo(page, `#/list/<script>window.hacked=1</script>`);
    await seen(page, ".note", "<script>");
    await goTo(page, `#/list/pods?q=${encodeURIComponent(attack)}`);
    await page.waitForSelector(".note");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("attack");
    await page.waitForSelector(".choice");
    assert.equal(await page.evaluate(() => "hacked" in window), false);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test("a user who may read one namespace sees it, and no error", async () => {
    const page = await opened.openAs("alice");
    const problems = collectProblems(page);
    await seen(page, "h1", "Now");
    await seen(page, ".count", "1 Pod");
    assert.equal(await page.inputValue("input.namespace"), "shop");
    // What is stuck is looked for among all kinds, of which alice may not read most.
    const survey = page.waitForResponse((response) => response.url().includes("/services?limit="));
    await page.reload();
    await survey;
    await goTo(page, "#/list/pods");
    await seen(page, ".table", "web");
    assert.equal(await page.locator(".sidebar a:has-text('Nodes')").count(), 0);
    assert.equal(await page.locator(".sidebar a:has-text('Secrets')").count(), 0);
    await goTo(page, "#/object/pods/shop/web");
    await seen(page, "h1", "web");
    assert.equal(await page.locator(".actions button").count(), 0);
    for (const hash of ["#/map", "#/learn", "#/kinds", "#/list/secrets", "#/list/nodes"]) {
      await goTo(page, hash);
      await page.waitForSelector(".page");
    }
    await seen(page, ".note", "Not for you to see");
    assert.equal(await page.locator(".lost, .toast").count(), 0);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test("an administrator views as another user, with that user's rights and no more", async () => {
    const page = await opened.openAs("admin");
    const problems = collectProblems(page);
    await seen(page, ".sidebar a", "Nodes");
    await page.click(".topbar button:has-text('admin')");
    await page.click("[role=menuitem]");
    await page.fill("#view-as-user", "alice");
    await page.click("dialog button.primary");
    await seen(page, ".viewed-as", "alice");
    await page.fill("input.namespace", "shop");
    await page.keyboard.press("Enter");
    await goTo(page, "#/list/pods");
    await seen(page, ".table", "web");
    assert.equal(await page.locator(".sidebar a:has-text('Nodes')").count(), 0);
    await goTo(page, "#/list/secrets");
    await seen(page, ".note", "Not for you to see");
    await page.click(".viewed-as button");
    await seen(page, ".sidebar a", "Nodes");
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test("the API server serves the page to anyone and its data to a token, which is stored nowhere", async () => {
    const window = await opened.browser.newContext({ ignoreHTTPSErrors: true, locale: "en-GB" });
    const page = await window.newPage();
    await page.goto(`https://127.0.0.1:${opened.server.port}/console/`);
    await untilStarted(page);
    await seen(page, "h1", "Log in to the cluster");
    await page.fill("#token", "wrong");
    await page.click("button[type=submit]");
    await seen(page, "[role=alert]", "does not know this token");
    await page.fill("#token", "alicetoken");
    await page.click("button[type=submit]");
    await seen(page, ".topbar", "alice");
    const stored = await page.evaluate(
      () =>
        JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie + location.href,
    );
    assert.doesNotMatch(stored, /alicetoken/);
    await page.fill("input.namespace", "shop");
    await page.keyboard.press("Enter");
    await goTo(page, "#/list/pods");
    await seen(page, ".table", "web");
    await page.reload();
    await seen(page, "h1", "Log in to the cluster");
    await window.close();
  });
});

interface PlainReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A request as any program can send it: its path and headers are not corrected. */
function send(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<PlainReply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: "127.0.0.1", port, path, headers, agent: false },
      (response) => {
        response.toArray().then((chunks) => {
          const text = Buffer.concat(chunks as Buffer[]).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        }, reject);
      },
    );
    outgoing.once("error", reject).end();
  });
}
