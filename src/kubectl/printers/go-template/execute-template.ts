/** Upstream: Go's text/template/exec.go, for JSON values. */
import { goValue } from "#/machinery/patch/values/go-value.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { isTrue, templateFunctions } from "./functions.ts";
import type { ParsedTemplate } from "./parse-template.ts";
import { typeText } from "./sprintf.ts";
import {
  type CommandNode,
  nodeText,
  type Operand,
  type PipeNode,
  TemplateError,
  type TemplateNode,
} from "./template-node.ts";
import { TypedNumber } from "./typed-number.ts";

export interface ExecuteOptions {
  /** A missing field is printed as `<no value>` instead of being an error. */
  readonly allowMissingKeys: boolean;
}

/** Limit of nested template calls. */
const maxDepth = 10_000;

/** A missing field, as opposed to one that is null. */
const missing = Symbol("missing");

type Jump = "break" | "continue" | undefined;

interface Variable {
  readonly name: string;
  value: unknown;
}

/** Writes the output of a template for a value. Throws TemplateError after the output so far. */
export function executeTemplate(
  template: ParsedTemplate,
  value: unknown,
  options: ExecuteOptions,
  write: (text: string) => void,
): void {
  new Execution(template, options, write, value).run(template.body, value);
}

class Execution {
  readonly #template: ParsedTemplate;
  readonly #options: ExecuteOptions;
  readonly #write: (text: string) => void;
  readonly #variables: Variable[];
  readonly #depth: number;

  constructor(
    template: ParsedTemplate,
    options: ExecuteOptions,
    write: (text: string) => void,
    root: unknown,
    depth = 0,
  ) {
    this.#template = template;
    this.#options = options;
    this.#write = write;
    this.#variables = [{ name: "$", value: root }];
    this.#depth = depth;
  }

  run(nodes: readonly TemplateNode[], dot: unknown): Jump {
    for (const node of nodes) {
      const jump = this.#node(node, dot);
      if (jump) return jump;
    }
    return undefined;
  }

  #node(node: TemplateNode, dot: unknown): Jump {
    switch (node.type) {
      case "text":
        this.#write(node.text);
        return undefined;
      case "action": {
        const value = this.#pipe(node.pipe, dot);
        if (node.pipe.variables.length === 0) this.#write(printedValue(value));
        return undefined;
      }
      case "if":
      case "with":
        return this.#branch(node, dot);
      case "range":
        this.#range(node, dot);
        return undefined;
      case "break":
      case "continue":
        return node.type;
      case "template":
        this.#call(node, dot);
        return undefined;
    }
  }

  /** Calls a function in a new scope of variables. */
  #scoped<T>(run: () => T): T {
    const { length } = this.#variables;
    try {
      return run();
    } finally {
      this.#variables.length = length;
    }
  }

  #branch(node: Extract<TemplateNode, { otherwise: unknown }>, dot: unknown): Jump {
    return this.#scoped(() => {
      const value = this.#pipe(node.pipe, dot);
      if (isTrue(value === missing ? undefined : value)) {
        return this.run(node.body, node.type === "with" ? value : dot);
      }
      return node.otherwise ? this.run(node.otherwise, dot) : undefined;
    });
  }

  #range(node: Extract<TemplateNode, { otherwise: unknown }>, dot: unknown): void {
    this.#scoped(() => {
      const value = this.#pipe(node.pipe, dot, true);
      const entries = this.#entries(value, node.pipe);
      for (const [key, item] of entries) {
        const jump = this.#scoped(() => {
          this.#rangeVariables(node.pipe, key, item);
          return this.run(node.body, item);
        });
        if (jump === "break") break;
      }
      if (entries.length === 0 && node.otherwise) this.run(node.otherwise, dot);
    });
  }

  #rangeVariables({ variables, isAssignment }: PipeNode, key: unknown, item: unknown): void {
    const values = variables.length === 1 ? [item] : [key, item];
    for (const [i, name] of variables.entries()) {
      if (isAssignment) this.#assign(name, values[i]);
      else this.#variables.push({ name, value: values[i] });
    }
  }

  #entries(value: unknown, node: PipeNode): (readonly [unknown, unknown])[] {
    if (value === missing || value === null || value === undefined) return [];
    if (Array.isArray(value)) return value.map((item, i) => [i, item]);
    if (typeof value === "number" && Number.isInteger(value)) {
      return Array.from({ length: Math.max(0, value) }, (_, i) => [i, i]);
    }
    if (typeof value === "object") {
      return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    }
    throw this.#fail(innermost(node), `range can't iterate over ${goValue(value)}`);
  }

  #call(node: TemplateCall, dot: unknown): void {
    const body = this.#template.defined.get(node.name);
    if (!body) throw this.#fail(node, `template ${goQuote(node.name)} not defined`);
    if (this.#depth === maxDepth) {
      throw this.#fail(node, "exceeded maximum template depth (100000)");
    }
    const value = node.pipe ? this.#pipe(node.pipe, dot) : undefined;
    const template = { ...this.#template, name: node.name };
    new Execution(template, this.#options, this.#write, value, this.#depth + 1).run(body, value);
  }

  #assign(name: string, value: unknown): void {
    const variable = this.#variables.findLast((candidate) => candidate.name === name);
    if (variable) variable.value = value;
  }

  #pipe(pipe: PipeNode, dot: unknown, inRange = false): unknown {
    let value: unknown = missing;
    for (const [i, command] of pipe.commands.entries()) {
      value = this.#command(command, dot, i === 0 ? [] : [value]);
    }
    if (!inRange) {
      for (const name of pipe.variables) {
        if (pipe.isAssignment) this.#assign(name, value);
        else this.#variables.push({ name, value });
      }
    }
    return value;
  }

  #command(command: CommandNode, dot: unknown, final: readonly unknown[]): unknown {
    const [first, ...args] = command.args;
    if (first === undefined) return missing;
    if (first.type === "identifier") return this.#function(first, command, dot, final);
    if (args.length > 0 || final.length > 0) {
      if (first.type === "field" || first.type === "variable" || first.type === "chain") {
        const name = first.names.at(-1) ?? "";
        this.#operand(first, dot);
        throw this.#fail(first, `${name} is not a method but has arguments`);
      }
      throw this.#fail(first, `can't give argument to non-function ${nodeText(first)}`);
    }
    if (first.type === "nil") throw this.#fail(first, "nil is not a command");
    return this.#operand(first, dot);
  }

  #operand(node: Operand, dot: unknown): unknown {
    switch (node.type) {
      case "dot":
        return dot;
      case "nil":
        return null;
      case "constant":
        return node.value;
      case "pipe":
        return this.#scoped(() => this.#pipe(node, dot));
      case "identifier":
        return this.#function(node, { type: "command", at: node.at, args: [node] }, dot, []);
      case "field":
        return this.#fields(node, dot, node.names);
      case "chain":
        return this.#fields(innermost(node.node), this.#operand(node.node, dot), node.names);
      case "variable": {
        const [name, ...names] = node.names;
        const variable = this.#variables.findLast((candidate) => candidate.name === name);
        return this.#fields(node, variable?.value, names);
      }
    }
  }

  #fields(node: Operand, start: unknown, names: readonly string[]): unknown {
    return names.reduce((value, name) => this.#field(node, value, name), start);
  }

  #field(node: Operand, value: unknown, name: string): unknown {
    // A field of a missing value is missing; a field of null is an error.
    if (value === missing && this.#options.allowMissingKeys) return missing;
    if (value === missing || value === null || value === undefined) {
      throw this.#fail(node, `nil pointer evaluating interface {}.${name}`);
    }
    if (typeof value !== "object" || Array.isArray(value)) {
      throw this.#fail(node, `can't evaluate field ${name} in type interface {}`);
    }
    if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name];
    if (this.#options.allowMissingKeys) return missing;
    throw this.#fail(node, `map has no entry for key ${goQuote(name)}`);
  }

  #function(
    node: Extract<Operand, { type: "identifier" }>,
    command: CommandNode,
    dot: unknown,
    final: readonly unknown[],
  ): unknown {
    const { name } = node;
    const operands = command.args.slice(1);
    const called = templateFunctions[name];
    if (!called) throw this.#fail(node, `${goQuote(name)} is not a defined function`);
    const count = operands.length + final.length;
    if (count < called.min || count > (called.max ?? count)) {
      const wanted = called.max === undefined ? `at least ${called.min}` : `${called.min}`;
      throw this.#fail(node, `wrong number of args for ${name}: want ${wanted} got ${count}`);
    }
    if (name === "and" || name === "or") return this.#shortCircuit(name, operands, dot, final);
    const args = [...operands.map((operand) => this.#argument(operand, dot)), ...final];
    this.#checkTexts(operands, args, called.wantsText ?? 0);
    try {
      return called.call(...args.map((arg) => (arg === missing ? undefined : arg)));
    } catch (error) {
      if (!(error instanceof Error) || error instanceof TemplateError) throw error;
      const reason =
        name === "call"
          ? error.message.replace("non-function", `non-function ${nodeText(operands[0] ?? node)}`)
          : error.message;
      throw this.#fail(command, `error calling ${name}: ${reason}`, node.at);
    }
  }

  /** A number literal of the template keeps its type. */
  #argument(node: Operand, dot: unknown): unknown {
    const value = this.#operand(node, dot);
    if (node.type !== "constant" || typeof value !== "number") return value;
    if (node.text.startsWith("'")) return new TypedNumber(value, "int32");
    const isFloat = !/^[+-]?0[xX]/.test(node.text) && /[.eEpP]/.test(node.text);
    return new TypedNumber(value, isFloat ? "float64" : "int");
  }

  #checkTexts(operands: readonly Operand[], args: readonly unknown[], count: number): void {
    for (const [i, operand] of operands.slice(0, count).entries()) {
      const value = args[i];
      if (typeof value === "string") continue;
      const isNothing = value === missing || value === null || value === undefined;
      throw this.#fail(
        operand,
        isNothing
          ? "invalid value; expected string"
          : `wrong type for value; expected string; got ${typeText(value)}`,
      );
    }
  }

  #shortCircuit(
    name: "and" | "or",
    operands: readonly Operand[],
    dot: unknown,
    final: readonly unknown[],
  ): unknown {
    let value: unknown = missing;
    for (const operand of operands) {
      value = this.#operand(operand, dot);
      if (isTrue(value === missing ? undefined : value) === (name === "or")) return value;
    }
    return final.length > 0 ? final[0] : value;
  }

  #fail(node: Operand | CommandNode | TemplateCall, reason: string, at = node.at): TemplateError {
    const { name, text } = this.#template;
    const before = text.slice(0, at);
    const line = 1 + (before.match(/\n/g)?.length ?? 0);
    const column = at - (before.lastIndexOf("\n") + 1);
    const shown = node.type === "template" ? callText(node) : nodeText(node);
    return new TemplateError(
      `template: ${name}:${line}:${column}: executing ${goQuote(name)} at <${shown}>: ${reason}`,
    );
  }
}

type TemplateCall = Extract<TemplateNode, { type: "template" }>;

function callText({ name, pipe }: TemplateCall): string {
  return `{{template ${goQuote(name)}${pipe ? ` ${nodeText(pipe)}` : ""}}}`;
}

/** The part of an operand that is evaluated last, for messages. */
function innermost(node: Operand): Operand {
  const last = node.type === "pipe" ? node.commands.at(-1)?.args[0] : undefined;
  return last ? innermost(last) : node;
}

function printedValue(value: unknown): string {
  return value === missing || value === null || value === undefined ? "<no value>" : goValue(value);
}
