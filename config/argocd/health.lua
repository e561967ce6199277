-- Health of CapabilityRollout, PartnerEntitlement, PreflightProfile and XJMFSender for Argo CD,
-- which does not read the conditions of custom resources by itself. config/argocd/argocd-cm.yaml
-- shows where the script belongs.
local hs = { status = "Progressing", message = "The controller has not read the object yet" }
local status = obj.status
if status == nil or status.conditions == nil then
  return hs
end
if status.observedGeneration ~= obj.metadata.generation then
  hs.message = "The controller has not read this generation yet"
  return hs
end
local conditions = {}
for _, condition in ipairs(status.conditions) do
  conditions[condition.type] = condition
end
local function is(name, value)
  return conditions[name] ~= nil and conditions[name].status == value
end
if is("Stalled", "True") then
  return { status = "Degraded", message = conditions.Stalled.message }
end
if is("Reconciling", "True") then
  return { status = "Progressing", message = conditions.Reconciling.message }
end
if is("Ready", "True") then
  local message, reason = conditions.Ready.message, conditions.Ready.reason
  if reason == "AnalysisFailed" then
    return { status = "Degraded", message = message }
  end
  if reason == "Suspended" or reason == "Killed" or reason == "Held" then
    return { status = "Suspended", message = message }
  end
  return { status = "Healthy", message = message }
end
if conditions.Ready ~= nil then
  hs.message = conditions.Ready.message
  if is("Ready", "False") then
    hs.status = "Degraded"
  end
end
return hs
