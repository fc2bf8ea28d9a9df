package infer

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// buildDocument builds the configuration.
func (d *configBuilder) buildDocument() value.Value {
	api := object{}
	api.set(config.BaseURL.Name, d.replaceHidden(d.baseURL))
	if len(d.apiHeaders) > 0 {
		api.set(config.HTTPSection.Name, one(config.APIHeaders.Name, value.OfMembers(d.apiHeaders...)))
	}
	if d.auth.Len() > 0 {
		api.set(config.AuthenticationSection.Name, d.auth)
	}
	if d.pager != nil {
		api.set(config.PaginationSection.Name, value.OfMembers(d.pager.settings...))
	}
	job := object{}
	job.set(config.JobEndpoint.Name, d.replaceHidden(d.target()))
	if d.method != "GET" {
		job.set(config.JobMethod.Name, value.OfString(d.method))
	}
	if len(d.params) > 0 {
		job.set(config.JobParams.Name, value.OfMembers(d.params...))
	}
	if d.Table != d.target() || len(d.hidden) > 0 {
		job.set(config.JobDataType.Name, value.OfString(d.Table))
	}
	job.set(config.JobDataField.Name, d.data.setting())
	if len(d.texts) > 0 {
		job.set(config.JobResponseFilter.Name, value.OfStrings(d.texts))
	}
	if len(d.settings) > 0 {
		job.set(config.JobResponse.Name, d.settings.value())
	}
	conf := object{}
	conf.set(config.OutputBucket.Name, value.OfString(d.bucket))
	conf.set(config.OnIncomplete.Name, value.OfString(config.FailIncomplete))
	conf = append(conf, d.attributes...)
	conf.set(config.JobsSetting.Name, value.OfItems(job.value()))
	if d.mapping.Len() > 0 {
		conf.set(config.MappingsSetting.Name, one(d.Table, d.mapping))
	}
	return one(config.Wrapper.Name, value.OfMembers(
		value.Member{Name: config.APISection.Name, Value: api.value()},
		value.Member{Name: config.ConfigSection.Name, Value: conf.value()},
	))
}

// pointer returns the JSON pointer of the setting at a path of declarations.
func pointer(way ...field.Declaration) string {
	at := failure.PointerJoin("", config.Wrapper.Name)
	for _, f := range field.Fields(way...) {
		at = failure.PointerJoin(at, f.Name)
	}
	return at
}

// jobPointer returns the JSON pointer of a setting of the job.
func jobPointer(setting field.Declaration) string {
	return pointer(config.ConfigSection, config.JobsSetting) + failure.PointerJoin("/0", field.Fields(setting)[0].Name)
}

// object is an object under construction. Its members keep their order.
type object []value.Member

func (o *object) set(name string, v value.Value) { *o = append(*o, value.Member{Name: name, Value: v}) }

func (o object) value() value.Value { return value.OfMembers(o...) }

func one(name string, v value.Value) value.Value {
	return value.OfMembers(value.Member{Name: name, Value: v})
}

// clean replaces invalid UTF-8 in all texts and names of a value.
func clean(v value.Value) value.Value {
	if v.Kind() == value.String {
		return value.OfString(strings.ToValidUTF8(v.Raw(), "\ufffd"))
	}
	return v.Map(func(m value.Member) value.Member {
		return value.Member{Name: strings.ToValidUTF8(m.Name, "\ufffd"), Value: clean(m.Value)}
	})
}
