/** A template, parsed. Upstream: Go's text/template/parse/node.go. */
export type TemplateNode =
  | { readonly type: "text"; readonly at: number; readonly text: string }
  /** `{{pipeline}}`: its value is printed unless it declares a variable. */
  | { readonly type: "action"; readonly at: number; readonly pipe: PipeNode }
  | {
      readonly type: "if" | "with" | "range";
      readonly at: number;
      readonly pipe: PipeNode;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[] | undefined;
    }
  | { readonly type: "break" | "continue"; readonly at: number }
  | {
      readonly type: "template";
      readonly at: number;
      readonly name: string;
      readonly pipe: PipeNode | undefined;
    };

/** Commands; each gets the value of the one before as its last argument. */
export interface PipeNode {
  readonly type: "pipe";
  readonly at: number;
  readonly variables: readonly string[];
  /** True if the variables are assigned, not declared. */
  readonly isAssignment: boolean;
  readonly commands: readonly CommandNode[];
}

/** A function or value with its arguments. */
export interface CommandNode {
  readonly type: "command";
  readonly at: number;
  readonly args: readonly Operand[];
}

export type Operand =
  | { readonly type: "dot"; readonly at: number }
  | { readonly type: "nil"; readonly at: number }
  | { readonly type: "field"; readonly at: number; readonly names: readonly string[] }
  | { readonly type: "variable"; readonly at: number; readonly names: readonly string[] }
  | { readonly type: "identifier"; readonly at: number; readonly name: string }
  /** A value in parentheses followed by fields. */
  | {
      readonly type: "chain";
      readonly at: number;
      readonly node: Operand;
      readonly names: readonly string[];
    }
  | {
      readonly type: "constant";
      readonly at: number;
      readonly value: unknown;
      readonly text: string;
    }
  | PipeNode;

/** The source text of a part of a template, for messages. */
export function nodeText(node: Operand | CommandNode): string {
  switch (node.type) {
    case "dot":
      return ".";
    case "nil":
      return "nil";
    case "field":
      return node.names.map((name) => `.${name}`).join("");
    case "variable":
      return node.names.join(".");
    case "identifier":
      return node.name;
    case "constant":
      return node.text;
    case "chain":
      return `${wrapped(node.node)}${node.names.map((name) => `.${name}`).join("")}`;
    case "command":
      return node.args.map(wrapped).join(" ");
    case "pipe":
      return pipeText(node);
  }
}

function wrapped(node: Operand): string {
  return node.type === "pipe" ? `(${nodeText(node)})` : nodeText(node);
}

function pipeText({ variables, isAssignment, commands }: PipeNode): string {
  const declared =
    variables.length === 0 ? "" : `${variables.join(", ")} ${isAssignment ? "=" : ":="} `;
  return declared + commands.map(nodeText).join(" | ");
}

/** A template that can't be parsed or executed; the message is Go's. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}
