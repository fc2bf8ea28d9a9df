package diagnostic

import "github.com/keboola/configurable-extractor/pkg/failure"

func aboutJobs() []Entry {
	return []Entry{
		{failure.DuplicateJob, isWarning, "One of two jobs does not run",
			"Two jobs have the same id, or are written exactly the same: only the last one runs.",
			`"jobs": [{"endpoint": "users"}, {"endpoint": "users"}]`,
			"Remove one, or give them different ids."},
		{failure.IdleChild, isWarning, "This child job never runs",
			"A child job runs once for each combination of its placeholders; neither it nor a job above it has any.",
			`"children": [{"endpoint": "users/all/orders"}]`,
			"Add \"placeholders\", or move the job out of \"children\"."},
		{failure.InvalidPlaceholder, isError, "The placeholder leads nowhere",
			"A placeholder needs the path of its value, and a level between 1 (the parent) and the number of jobs above it.",
			`"placeholders": {"3:id": "id"}`,
			"Write {\"name\": \"path\"}; put the level in front only where it is not the parent: \"2:name\"."},
		{failure.UnfilledPlaceholder, isWarning, "Nothing fills this part of the endpoint",
			"The endpoint has a {name} that no placeholder of the job or of a job above it fills; the braces are sent.",
			`{"endpoint": "users/{id}/orders", "placeholders": {"userId": "id"}}`,
			"Give the placeholder the name that stands in the endpoint. A level belongs to the name: {2:id}."},
		{failure.OrphanPlaceholder, isWarning, "A root job has no parent",
			"\"placeholders\" and \"recursionFilter\" look at the parent's item, and a job that is no child has none.",
			`"jobs": [{"endpoint": "users", "placeholders": {"id": "id"}}]`,
			"Move the job to \"children\" of the job whose items it needs."},
		{failure.ForeignPath, isWarning, "This is not how paths are written",
			"Paths are keys parted by dots; list indexes are keys too. JSONPath ($.a), JSON pointers (/a) and brackets (a[0]) are taken for names of keys.",
			`"dataField": "$.data.items"`,
			"Write data.items, or data.0.items for the first item of a list."},
		{failure.InvalidFilter, isError, "The condition cannot be read",
			"Each condition of \"recursionFilter\" needs one of the operators ==, !=, <, >, <=, >=, ~~, !~.",
			`"recursionFilter": "type=company"`,
			"Write type==company; join conditions by & and |."},
		{failure.InvalidMapping, isError, "The mapping cannot be used",
			"A mapping lacks something, or two of its settings write the same column or table.",
			`"mappings": {"users": {"id": {"type": "table"}}}`,
			"Correct the setting as the message says."},
		{failure.UnusedMapping, isWarning, "No job feeds this mapping",
			"A mapping belongs to a data type, and no job has this one. The data is then mapped automatically, into other columns than meant.",
			`"mappings": {"user": {"id": "id"}}, "jobs": [{"endpoint": "users"}]`,
			"Write the name of the data type: \"dataType\" of a job, or its endpoint as written."},
	}
}

func aboutSecrets() []Entry {
	return []Entry{
		{failure.MissingCredentials, isError, "Credentials are missing",
			"The authentication needs a user name, a password or an authorization that is absent, or cannot be read.",
			`"authentication": {"type": "basic"}, "config": {"username": "ann"}`,
			"Add what the message names, secrets under a key that begins with #."},
		{failure.InvalidCertificate, isError, "The certificate or key cannot be read",
			"Certificates and private keys are expected in PEM form, without a passphrase, and a certificate together with its own key.",
			`"caCertificate": "MIIB…"`,
			"Paste the whole text, from -----BEGIN to the last -----END, with \\n for line breaks."},
		{failure.EncryptedSecret, isError, "The secret is still encrypted",
			"The value is a cipher from a stored configuration. Only the platform can decrypt it, before it starts a run.",
			`"#token": "KBC::ProjectSecure::…"`,
			"For a check or a run outside the platform write the secret itself, or a {{variable}}."},
		{failure.PlainSecret, isWarning, "This secret is not protected",
			"The name sounds like a secret and the value is written out. Only values under keys that begin with # are encrypted when stored and kept out of events.",
			`"config": {"token": "abc"}`,
			"Write it as \"#token\" in \"config\", and {\"attr\": \"#token\"} where it is used."},
		{failure.PlainAddress, isWarning, "Credentials go over a connection without TLS",
			"The address begins with http:// and requests carry credentials, which everybody on the way can read.",
			`"baseUrl": "http://api.example.com"`,
			"Write https://. Addresses of the computer itself and those behind an SSH server are not reported."},
	}
}
