import type { GateOf } from '../spec/chain-schema.ts'
import { milliseconds } from '../spec/duration.ts'
import { renderToText } from '../template/render.ts'
import { GATE_TIMEOUT, type GateContext, type GateResult } from './gate-context.ts'

/**
 * `http_status`: whether a server answers with the status that is expected. Only loopback is asked, and the hosts that
 * the person's settings name; redirects are not followed, since they could lead elsewhere.
 */
export async function httpStatus(gate: GateOf<'http_status'>, context: GateContext): Promise<GateResult> {
  const address = renderToText(gate.url, context.lookUp)
  const refused = refusedAddress(address, context.settings.httpHosts)
  if (refused !== null) return { passed: false, detail: refused }
  const timeout = AbortSignal.timeout(milliseconds(gate.timeout ?? GATE_TIMEOUT))
  try {
    const response = await fetch(address, {
      method: gate.method ?? 'GET',
      redirect: 'manual',
      signal: AbortSignal.any([timeout, context.signal]),
    })
    await response.body?.cancel()
    const expected = [gate.expect ?? 200].flat()
    const passed = expected.includes(response.status)
    const wanted = passed ? '' : `, not ${expected.join(' or ')}`
    return { passed, detail: `${address} answers ${response.status}${wanted}` }
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause?.code
    return { passed: false, detail: `${address} does not answer: ${cause ?? (error as Error).message}` }
  }
}

/** Why an address is not asked; null where it is loopback or its host is allowed. */
export function refusedAddress(address: string, allowed: readonly string[]): string | null {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    return `${address} is no address`
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${address} is neither http nor https`
  if (url.username !== '' || url.password !== '') return 'an address with a password in it is not asked'
  const host = url.hostname
  const isLoopback = host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const fits = (one: string) => [host, `${host}:${port}`].includes(one.toLowerCase())
  if (isLoopback || allowed.some(fits)) return null
  return `${host} is neither this computer nor a host that the settings of the runner allow`
}
