import { dependenciesOf } from '../plan/dependencies.ts'
import type { Chain, Step } from '../spec/chain-schema.ts'

/** A chain as steps and what they wait for. */
export interface ChainGraph {
  nodes: { id: string; kind: 'step' | 'cross_check'; runs: string; notes: string[] }[]
  /** `reads` is false where a step waits for another without reading from it. */
  edges: { from: string; to: string; reads: boolean }[]
}

/** The graph of a chain. */
export function graphOf(chain: Chain): ChainGraph {
  const dependencies = dependenciesOf(chain)
  return {
    nodes: chain.steps.map(step => ({
      id: step.id,
      kind: step.kind ?? 'step',
      runs: step.skill ?? (step.kind === 'cross_check' ? 'another family' : chain.primary),
      notes: notesOf(step),
    })),
    edges: chain.steps.flatMap(({ id }) => {
      const { waitsFor = [], reads = [] } = dependencies.get(id) ?? {}
      return waitsFor.map(from => ({ from, to: id, reads: reads.includes(from) }))
    }),
  }
}

function notesOf(step: Step): string[] {
  return [
    ...(step.run_if === undefined ? [] : [`if ${step.run_if}`]),
    ...(step.isolation ? ['worktree'] : []),
    ...(step.gates ?? []).map(gate => `gate ${gate.name ?? gate.type}, else ${gate.on_fail}`),
    ...(step.verification ? ['verified by another family'] : []),
    ...(step.on_failure && step.on_failure !== 'halt' ? [`on failure ${step.on_failure}`] : []),
  ]
}

/** The graph for Mermaid; names stand in it as text that it takes for nothing else. */
export function mermaidOf({ nodes, edges }: ChainGraph): string {
  const name = (id: string) => `s${nodes.findIndex(node => node.id === id)}`
  return [
    'flowchart TD',
    ...nodes.map(({ id, kind, runs, notes }) => {
      const label = [id, runs, ...notes].map(mermaidText).join('<br/>')
      return kind === 'cross_check' ? `  ${name(id)}{{"${label}"}}` : `  ${name(id)}["${label}"]`
    }),
    ...edges.map(({ from, to, reads }) => `  ${name(from)} ${reads ? '-->' : '-.->'} ${name(to)}`),
    '',
  ].join('\n')
}

function mermaidText(text: string): string {
  return text.replace(/[^\w .,:@/=!-]/gu, character => `#${character.codePointAt(0)};`)
}

/** The graph as lines: each step, what it runs, what it waits for. */
export function graphLines({ nodes, edges }: ChainGraph): string[] {
  return nodes.flatMap(({ id, kind, runs, notes }, index) => {
    const last = index === nodes.length - 1
    const after = edges.filter(edge => edge.to === id).map(edge => edge.from)
    const waits = after.length === 0 ? '' : `  after ${after.join(', ')}`
    const mark = kind === 'cross_check' ? '◇' : '●'
    return [
      `${mark} ${id}  ${runs}${waits}`,
      ...notes.map(note => `${last ? ' ' : '│'}   ${note}`),
      ...(last ? [] : ['│']),
    ]
  })
}
